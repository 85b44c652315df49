"""``mcp_servers.yaml``: transports, the environment, and no secret in any message."""

import pytest

SECRET = "hunter2-very-secret"
BASE = "servers:\n  loja: {endpoint: 'http://127.0.0.1:8100/mcp'}\n"


def keys(problems):
    return [problem.key for problem in problems]


def server(load, text, environ=None):
    return load(servers=f"{BASE}  s: {text}\n", environ=environ)


def test_an_endpoint_alone_is_streamable_http_and_a_command_alone_is_stdio(load):
    assert (
        server(load, "{endpoint: 'https://a.example/mcp'}").catalog.servers["s"].transport
        == "streamable_http"
    )
    stdio = server(
        load, "{command: python, args: [-m, 007], env: {N: 0123, ATIVO: yes, VAZIO: }}"
    ).catalog.servers["s"]
    assert (stdio.transport, stdio.command, stdio.args) == ("stdio", "python", ("-m", "007"))
    assert stdio.env == {"N": "0123", "ATIVO": "yes", "VAZIO": ""}


def test_every_field_arrives(load):
    found = server(
        load,
        "{transport: http, endpoint: 'http://a.example:1', enabled: false, description: b, headers: {X-A: 0123}, "
        "timeout_seconds: 2.5, max_concurrency: 3, max_calls_per_second: 0.5}",
    ).catalog.servers["s"]
    assert found.model_dump() == {
        "name": "s",
        "transport": "http",
        "enabled": False,
        "description": "b",
        "endpoint": "http://a.example:1",
        "command": None,
        "args": (),
        "env": {},
        "headers": {"X-A": "0123"},
        "timeout_seconds": 2.5,
        "max_concurrency": 3,
        "max_calls_per_second": 0.5,
    }


def test_variables_are_filled_in_in_endpoint_headers_and_env_only(load):
    environ = {"HOST": "a.example", "TOKEN": SECRET}
    http = server(
        load,
        "{endpoint: 'https://${HOST}/mcp', headers: {Authorization: 'Bearer ${TOKEN}'}, description: '${HOST}'}",
        environ,
    )
    found = http.catalog.servers["s"]
    assert (found.endpoint, found.headers, found.description) == (
        "https://a.example/mcp",
        {"Authorization": f"Bearer {SECRET}"},
        "${HOST}",
    )
    stdio = server(
        load, "{command: x, args: ['${TOKEN}'], env: {T: '${TOKEN}${TOKEN}', D: '$TOKEN'}}", environ
    )
    assert stdio.catalog.servers["s"].args == ("${TOKEN}",)
    assert stdio.catalog.servers["s"].env == {"T": SECRET * 2, "D": "$TOKEN"}
    assert keys(stdio.warnings) == ["servers.s.args.0"]
    assert SECRET not in repr(http.catalog) + repr(stdio)


def test_a_filled_in_value_is_not_filled_in_again(load):
    assert server(load, "{command: x, env: {A: '${A}'}}", {"A": "${B}", "B": "b"}).catalog.servers[
        "s"
    ].env == {"A": "${B}"}


def test_a_missing_variable_is_an_error_that_names_it_and_an_empty_one_a_warning(load):
    loaded = server(
        load, "{endpoint: 'https://${HOST}/', headers: {A: '${TOKEN}', B: '${EMPTY}'}}", {"EMPTY": ""}
    )
    assert keys(loaded.errors) == ["servers.s.endpoint", "servers.s.headers.A"]
    assert "HOST" in loaded.errors[0].message
    assert "TOKEN" in loaded.errors[1].message
    assert keys(loaded.warnings) == ["servers.s.headers.B"]


def test_a_missing_variable_of_a_disabled_server_is_a_warning(load):
    loaded = server(load, "{enabled: false, endpoint: '${HOST}'}")
    assert loaded.errors == ()
    assert keys(loaded.warnings) == ["servers.s.endpoint"]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("{transport: stdio}", "s"),
        ("{transport: stdio, command: ''}", "s.command"),
        ("{transport: stdio, command: x, endpoint: 'http://a/'}", "s.endpoint"),
        ("{command: x, headers: {A: b}}", "s.headers"),
        ("{transport: sse}", "s"),
        ("{}", "s"),
        ("{endpoint: }", "s.endpoint"),
        ("{endpoint: 'ftp://a/'}", "s.endpoint"),
        ("{endpoint: 'a.example/mcp'}", "s.endpoint"),
        ("{endpoint: 'http://'}", "s.endpoint"),
        ("{endpoint: 'http://a:99999/'}", "s.endpoint"),
        ("{endpoint: 'http://[::1/'}", "s.endpoint"),
        ("{endpoint: 'http://a b/'}", "s.endpoint"),
        ("{endpoint: 'http://a/', command: x}", "s.command"),
        ("{transport: fastmcp, endpoint: 'http://a/'}", "s.transport"),
        ("{endpoint: 'http://a/', timeout_seconds: 0}", "s.timeout_seconds"),
        ("{endpoint: 'http://a/', max_concurrency: 0}", "s.max_concurrency"),
        ("{endpoint: 'http://a/', max_calls_per_second: .inf}", "s.max_calls_per_second"),
        ("{endpoint: 'http://a/', headers: {'A B': c}}", "s.headers.A B"),
        ('{endpoint: "http://a/", headers: {A: "b\\r\\nC: d"}}', "s.headers.A"),
        ("{endpoint: 'http://a/', headers: [A]}", "s.headers"),
        ("{endpoint: 'http://a/', header: {A: b}}", "s.header"),
        ("{endpoint: 'http://a/', headers: {A: '${B'}}", "s.headers.A"),
        ("{endpoint: 'http://a/', headers: {A: '${1B}'}}", "s.headers.A"),
        ("{command: x, args: -m}", "s.args"),
        ("{command: x, env: {'A=B': c}}", "s.env.A=B"),
        ("http://a/", "s"),
    ],
)
def test_a_server_that_cannot_work_is_an_error_at_its_key(load, text, key):
    assert keys(server(load, text).errors) == [f"servers.{key}"]


@pytest.mark.parametrize(
    "text",
    [
        f"{{endpoint: '{SECRET}'}}",
        f"{{endpoint: 'http://user:{SECRET}@[/'}}",
        f"{{endpoint: 'http://a/', timeout_seconds: {SECRET}}}",
        f"{{endpoint: 'http://a/', enabled: {SECRET}}}",
        f"{{endpoint: 'http://a/', headers: {SECRET}}}",
        f"{{endpoint: 'http://a/', headers: {{A: [{SECRET}]}}}}",
        f"{{endpoint: 'http://a/', headers: {{A: *{SECRET}}}}}",
        f"{{endpoint: 'http://a/', headers: {{A: !{SECRET} b}}}}",
        f"{{endpoint: 'http://a/', headers: {{A: !{SECRET}! b}}}}",
        f"{{endpoint: 'http://a/', headers: {{A: \"\\q{SECRET}\"}}}}",
        f"{{endpoint: 'http://a/', headers: {{A: %{SECRET}}}}}",
        f"{{endpoint: 'http://a/', headers: {{A: 'b\n\n{SECRET}'}}}}",
        f"{{transport: {SECRET}, endpoint: 'http://a/'}}",
        f"{{command: x, args: {SECRET}}}",
        f"{SECRET}",
        "{endpoint: 'http://a/', headers: {A: '${TOKEN}'}}",
        "{endpoint: '${TOKEN}'}",
    ],
)
def test_a_secret_is_in_no_message_however_wrong_the_file_is(load, text):
    loaded = server(load, text, {"TOKEN": SECRET + "\n"})
    assert loaded.errors
    assert SECRET not in repr(loaded)


def test_servers_must_be_there(load):
    assert keys(load(servers="{}").errors)[-1] is None
    assert load(servers=None).errors[0].file == "mcp_servers.yaml"
    assert load(servers=None).errors[0].line is None
