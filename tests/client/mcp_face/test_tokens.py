"""Bearer tokens: real keys of a real key set, and every way in which a token can be no proof."""

import base64
import hashlib
import hmac
import json
import time
from dataclasses import dataclass

import jwt
import pytest
import pytest_asyncio
from cryptography.hazmat.primitives import serialization
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from confirmo.client.mcp_face.keys import IssuerKeys, KeysUnavailable
from confirmo.client.mcp_face.tokens import MAX_TOKEN, JwtVerifier, UnusableToken
from confirmo.client.settings import TokenSettings
from harness.issuer import AUDIENCE, Issuer, ec_key, read, rsa_key


@pytest.fixture(autouse=True)
def mode():
    """One form is enough: nothing here is about the protocol."""
    return "2026-07-28"


@dataclass
class Door:
    issuer: Issuer
    keys: IssuerKeys
    verifier: JwtVerifier

    async def read(self, token):
        return await read(self.verifier, token)

    async def refuses(self, token):
        with pytest.raises(UnusableToken) as refused:
            await self.read(token)
        assert len(token) < 20 or token[:20] not in str(refused.value)
        assert await self.verifier.verify_token(token) is None
        return str(refused.value)


@pytest_asyncio.fixture
async def door():
    """``door(cooldown=…, **settings)`` verifies tokens of the issuer."""
    async with Issuer().running() as issuer:

        def open_one(cooldown=10.0, tenant="default", **changes):
            settings = issuer.settings(**changes)
            keys = IssuerKeys(settings, cooldown)
            return Door(issuer, keys, JwtVerifier(settings, keys, tenant))

        yield open_one


def segment(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def unsigned(issuer, algorithm):
    """A token with good claims whose signature is left out, under that algorithm's name."""
    claims = jwt.decode(issuer.token(kid=next(iter(issuer.published))), options={"verify_signature": False})
    return f"{segment({'alg': algorithm, 'kid': 'r1', 'typ': 'JWT'})}.{segment(claims)}."


def confused(issuer):
    """A token signed with HMAC, the shared secret being the published key."""
    public = rsa_key("r1").public_key()
    pem = public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    content = unsigned(issuer, "HS256").rstrip(".")
    signature = hmac.new(pem, content.encode(), hashlib.sha256).digest()
    return f"{content}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}"


@pytest.mark.parametrize("kid", ["r1", "e1"])
@pytest.mark.parametrize("by", ["discovery", "jwks_url"])
async def test_a_good_token_names_person_tenant_and_roles(door, kid, by):
    issuer = door().issuer
    one = door(jwks_url=f"{issuer.url}/jwks") if by == "jwks_url" else door()
    found = await one.read(issuer.token("u-ana", kid=kid, roles=["gerente", 7], scope="a b", azp="app"))
    assert (found.subject, found.tenant, found.roles) == ("u-ana", "t-1", ("gerente",))
    assert (found.client_id, found.scopes, found.claims) == ("app", ["a", "b"], {"iss": issuer.url})
    assert "e1" not in found.token
    assert ("/.well-known/openid-configuration" in issuer.fetched) is (by == "discovery")


NOW = int(time.time())
BAD = {
    "another audience": {"aud": "https://another.example"},
    "no audience": {"aud": None},
    "another issuer": {"iss": "https://evil.example"},
    "no issuer": {"iss": None},
    "expired": {"exp": NOW - 60},
    "no expiry": {"exp": None},
    "not yet valid": {"nbf": NOW + 3600},
    "issued in the future": {"iat": NOW + 3600},
    "no tenant": {"tenant": None},
    "blank tenant": {"tenant": " "},
    "a tenant with a NUL": {"tenant": "t-1\x00x"},
    "a list of tenants": {"tenant": ["t-1", "t-2"]},
    "no subject": {"sub": None},
    "an empty subject": {"sub": ""},
    "a subject out of all measure": {"sub": "x" * 600},
    "expiry that is no number": {"exp": "soon"},
    "expiry beyond any clock": {"exp": 10**400},
}


@pytest.mark.parametrize("changes", BAD.values(), ids=BAD)
async def test_a_token_with_other_claims_proves_nothing(door, changes):
    one = door()
    await one.refuses(one.issuer.token(**changes))


async def test_a_signature_has_to_be_the_issuers_and_of_an_allowed_kind(door):
    one = door()
    good = one.issuer.token()
    head, body, signature = good.split(".")
    other = jwt.encode({"sub": "x"}, rsa_key("other"), algorithm="RS256")
    for name, token in {
        "none": unsigned(one.issuer, "none"),
        "None": unsigned(one.issuer, "None"),
        "no signature": unsigned(one.issuer, "RS256"),
        "HS256 with the public key": confused(one.issuer),
        "a stranger's key under a known id": one.issuer.token(key=rsa_key("stranger")),
        "another key's algorithm": jwt.encode({}, ec_key("e1"), algorithm="ES256", headers={"kid": "r1"}),
        "changed claims": f"{head}.{segment({'sub': 'u-rui'})}.{signature}",
        "no key id": other,
        "no JWT": "x",
        "nothing": "",
        "too long": good + "x" * MAX_TOKEN,
        "hidden critical extension": jwt.encode(
            {"sub": "x"}, rsa_key("r1"), algorithm="RS256", headers={"kid": "r1", "crit": ["x"], "x": 1}
        ),
    }.items():
        assert await one.refuses(token), name
    assert (await one.read(good)).subject == "u-ana"
    assert f"{head}.{body}.{signature}" == good


async def test_clocks_may_be_apart_for_as_long_as_the_settings_say(door):
    one = door(leeway_seconds=120)
    found = await one.read(one.issuer.token(exp=int(time.time()) - 60, nbf=int(time.time()) + 60))
    assert found.expires_at > time.time()
    await one.refuses(one.issuer.token(exp=int(time.time()) - 180))


async def test_a_rotated_key_is_found_and_strangers_do_not_make_the_face_fetch(door):
    one = door(cooldown=0.0)
    await one.read(one.issuer.token())
    one.issuer.published["r2"] = ("RS256", rsa_key("r2"))
    del one.issuer.published["r1"]
    assert (await one.read(one.issuer.token(kid="r2"))).subject == "u-ana"
    await one.refuses(one.issuer.token(kid="r1", key=rsa_key("r1")))

    patient = door(cooldown=60.0)
    await patient.read(one.issuer.token(kid="r2"))
    fetched = len(one.issuer.fetched)
    for number in range(20):
        await patient.refuses(one.issuer.token(kid=f"x{number}", key=rsa_key("stranger")))
        await patient.refuses(unsigned(one.issuer, "none"))
    assert len(one.issuer.fetched) == fetched


async def test_while_the_issuer_is_down_known_keys_count_and_unknown_tokens_are_undecided(door):
    one, fresh = door(cooldown=0.0), door(cooldown=60.0)
    await one.read(one.issuer.token())
    one.issuer.down = True
    one.keys.jwk_set_cache.lifespan = 0
    assert (await one.read(one.issuer.token())).subject == "u-ana"
    fetched = len(one.issuer.fetched)
    for _ in range(5):
        with pytest.raises(KeysUnavailable):
            await fresh.read(one.issuer.token())
    assert len(one.issuer.fetched) == fetched + 1
    one.issuer.down = False
    assert (await door().read(one.issuer.token())).subject == "u-ana"


async def test_a_configuration_of_another_issuer_is_not_believed(door):
    one = door()
    keys = IssuerKeys(one.issuer.settings(issuer=one.issuer.url + "/"))
    with pytest.raises(KeysUnavailable):
        await read(JwtVerifier(one.issuer.settings(), keys), one.issuer.token())
    assert "/jwks" not in one.issuer.fetched


async def test_claims_have_the_names_that_the_settings_say(door):
    changes = {
        "subject_claim": "email",
        "tenant_claim": "https://x.example/org",
        "roles_claim": "realm_access.roles",
    }
    claims = {"email": "ana@example.com", "https://x.example/org": "t-9", "realm_access": {"roles": ["a"]}}
    one = door(**changes)
    found = await one.read(one.issuer.token(**claims))
    assert (found.subject, found.tenant, found.roles) == ("ana@example.com", "t-9", ("a",))
    alone = await door(tenant_claim="", tenant="house").read(one.issuer.token(tenant="t-2", roles="a b"))
    assert (alone.tenant, alone.roles) == ("house", ("a", "b"))


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"audience": AUDIENCE}, "ISSUER is missing"),
        ({"issuer": "https://x.example"}, "AUDIENCE is missing"),
        ({"issuer": "http://x.example", "audience": "a"}, "ISSUER has to be an https address"),
        ({"issuer": "https://x.example:port", "audience": "a"}, "ISSUER has to be an https address"),
        ({"issuer": "https://[::1", "audience": "a"}, "ISSUER has to be an https address"),
        ({"issuer": "https://x.example", "audience": "a", "jwks_url": "file:///k"}, "JWKS_URL has to be"),
        ({"issuer": "https://x.example", "audience": "a", "algorithms": "RS256 HS256"}, "ALGORITHMS takes"),
        ({"issuer": "https://x.example", "audience": "a", "algorithms": "none"}, "ALGORITHMS takes"),
        ({"issuer": "https://x.example", "audience": "a", "algorithms": " "}, "ALGORITHMS takes"),
        ({"issuer": "https://x.example", "audience": "a", "leeway_seconds": 301}, "less than or equal"),
    ],
)
def test_half_a_configuration_is_refused(changes, text):
    with pytest.raises(ValidationError, match=text):
        TokenSettings(**changes)


def test_variables_that_are_set_to_nothing_are_not_set(monkeypatch):
    for name in ("ISSUER", "AUDIENCE", "JWKS_URL", "RESOURCE_URL", "SCOPES"):
        monkeypatch.setenv(f"CONFIRMO_OIDC_{name}", "")
    assert TokenSettings() == TokenSettings.model_construct()
    monkeypatch.setenv("CONFIRMO_OIDC_TENANT_CLAIM", "")
    with pytest.raises(ValidationError, match="ISSUER is missing"):
        TokenSettings()


class OneKey:
    """Keys of which every id names the same one, so that any token comes as far as its signature."""

    def __init__(self):
        self.known = jwt.PyJWK(Issuer().jwks["keys"][0])

    def key(self, _kid):
        return self.known


SEGMENT = st.one_of(
    st.text(max_size=40),
    st.binary(max_size=40).map(lambda raw: base64.urlsafe_b64encode(raw).rstrip(b"=").decode()),
    st.dictionaries(
        st.sampled_from(
            ["alg", "kid", "typ", "crit", "b64", "exp", "aud", "iss", "sub", "tenant", "jku", "jwk"]
        ),
        st.one_of(
            st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=9), st.just("RS256")
        ),
    ).map(segment),
)


@given(st.one_of(st.text(), st.lists(SEGMENT, max_size=5).map(".".join)))
@settings(max_examples=150, deadline=None)
def test_whatever_comes_as_a_token_is_a_token_or_refused(token):
    one = JwtVerifier(TokenSettings(issuer="https://i.example", audience=AUDIENCE), OneKey())
    with pytest.raises(UnusableToken):
        one.read(token)
