import pytest

from confirmo.examples.vas import SERVICES, resolve, split


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ("TIM Fashion, Aya Audiobooks e Neymar Jr", ["TIM Fashion", "Aya Audiobooks", "Neymar Jr"]),
        ("TIM Fashion, Aya Audiobooks, e Neymar Jr", ["TIM Fashion", "Aya Audiobooks", "Neymar Jr"]),
        ("TIM Fashion;Tamboro\nNeymar Jr", ["TIM Fashion", "Tamboro", "Neymar Jr"]),
        ("Tamboro E Paramount+", ["Tamboro", "Paramount+"]),
        ("Tamboro & Paramount+ and youtube", ["Tamboro", "Paramount+", "youtube"]),
        ("Jornais e Revistas", ["Jornais e Revistas"]),
        ("Tamboro, banca jornais e revistas e youtube", ["Tamboro", "banca jornais e revistas", "youtube"]),
        ('"A, B e C" e Tamboro', ["A, B e C", "Tamboro"]),
        ("Tamboro e “X, Y”", ["Tamboro", "X, Y"]),
        (" , ; e ", []),
        ("", []),
    ],
)
def test_an_expression_is_split_into_names(expression: str, names: list[str]) -> None:
    assert split(expression) == names


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("TIM Fashion", "TIM Fashion Mensal"),
        ("  tim   FASHION ", "TIM Fashion Mensal"),
        ("o serviço TIM Fashion", "TIM Fashion Mensal"),
        ("Aya Audiobooks", "Aya Audiobooks Premium"),
        ("aya", "Aya Audiobooks Premium"),
        ("Neymar Jr", "Neymar Jr"),
        ("Tamboro", "Tamboro Mensal"),
        ("Paramount+", "Paramount+"),
        ("paramount", "Paramount+"),
        ("youtube", "Youtube Premium"),
        ("tim seguranca", "TIM Segurança"),
        ("TIM CTRL Redes Sociais 8.0", "TIM CTRL Redes Sociais 8.0"),
        ("vas-12345", "VAS-12345"),
    ],
)
def test_a_name_means_its_service(text: str, name: str) -> None:
    assert [service.name for service in resolve(text)] == [name]


@pytest.mark.parametrize("text", ["Netflix", "o", "", "VAS-00001", "VAS-1", "Neymar Jr Premium", "!!!"])
def test_an_unknown_name_means_nothing(text: str) -> None:
    assert resolve(text) == ()


@pytest.mark.parametrize(("text", "count"), [("TIM", 3), ("premium", 2), ("todos", len(SERVICES))])
def test_a_vague_name_means_several(text: str, count: int) -> None:
    assert len(resolve(text)) == count


def test_every_service_is_found_by_its_own_name() -> None:
    assert all(resolve(service.name) == (service,) for service in SERVICES)
    assert all(split(service.name) == [service.name] for service in SERVICES)


def test_a_thousand_names_are_split_in_order() -> None:
    names = [f"VAS-{number}" for number in range(10000, 11000)]
    assert split(", ".join(names)) == names
