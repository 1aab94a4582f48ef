"""The commands ``budgetframe login`` and ``budgetframe logout``, with a keyring in memory."""

import io
import sys
from collections.abc import Callable, Iterator

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends import fail, null
from keyring.errors import KeyringLocked, PasswordSetError

from budgetframe import BudgetFrame, ToolError
from budgetframe.sandbox import Sandbox, serve
from tests.cli import main

TOKEN = "Zq8rT1mVx4Lw7Bk2Ng5Pd9"

Entries = dict[tuple[str, str], str]
LogIn = Callable[[str], tuple[int, str, str]]


class KeyringInMemory(KeyringBackend):
    """A keyring that keeps its entries in memory, instead of the system's keyring."""

    priority = 0.5
    name = "in memory"

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # of the library
        self.entries: Entries = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.entries.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.entries[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.entries[service, username]


class LockedKeyring(KeyringInMemory):
    """A keyring that the user has not unlocked."""

    def get_password(self, *_arguments: str) -> str | None:
        raise KeyringLocked

    def set_password(self, *_arguments: str) -> None:
        raise KeyringLocked


class ReadOnlyKeyring(KeyringInMemory):
    """A keyring that can only be read."""

    def set_password(self, *_arguments: str) -> None:
        raise PasswordSetError


class ForgetfulKeyring(KeyringInMemory):
    """A keyring that is switched off: it accepts entries and keeps none."""

    def set_password(self, *_arguments: str) -> None:
        pass


@pytest.fixture
def entries(monkeypatch: pytest.MonkeyPatch) -> Iterator[Entries]:
    """The entries of the keyring, which replaces the system's keyring during a test."""
    monkeypatch.delenv("BUDGETFRAME_TOKEN", raising=False)
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)  # a plugin of pytest imports it
    before, replacement = keyring.get_keyring(), KeyringInMemory()
    keyring.set_keyring(replacement)
    yield replacement.entries
    keyring.set_keyring(before)


@pytest.fixture(scope="module")
def service() -> Sandbox:
    return Sandbox(token=TOKEN)


@pytest.fixture(scope="module")
def address(service: Sandbox) -> Iterator[str]:
    with serve(service) as url:
        yield url


@pytest.fixture
def log_in(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], address: str
) -> LogIn:
    """Runs the command with what is entered: its status, output and errors."""

    def run(entered: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.stdin", io.StringIO(entered))  # it is no terminal, as in a pipe
        return main(["login", "--base-url", address]), *capsys.readouterr()

    return run


def test_login_stores_the_token_and_connect_finds_it_until_logout(
    log_in: LogIn, capsys: pytest.CaptureFixture[str], entries: Entries, service: Sandbox,
    address: str,
) -> None:  # fmt: skip
    stored = "The service accepts the token. It is stored in the keyring 'in memory'.\n"
    assert log_in(f"{TOKEN}\n") == (0, stored, "")
    assert entries == {("budgetframe", address): TOKEN}
    with BudgetFrame.connect(base_url=f"{address}/") as bf:
        assert bf.user().id == service.user_id
    assert main(["logout", "--base-url", address]) == 0
    assert entries == {}
    deleted = "The token is deleted from the system's keyring. The service still accepts it.\n"
    assert capsys.readouterr() == (deleted, "")
    assert main(["logout", "--base-url", address]) == 1
    assert capsys.readouterr().err == (
        f"budgetframe logout: the system's keyring has no token for {address}\n"
    )


def test_a_token_that_the_service_does_not_accept_is_not_stored(
    log_in: LogIn, entries: Entries, subtests: pytest.Subtests
) -> None:
    expected = {
        "a-wrong-one\n": "Unauthorized. The service does not accept the token: create a new token"
        " in its settings and connect with it. Nothing was stored",
        "\n": "no token was entered. Nothing was stored",
        "": "no token was entered. Nothing was stored",
    }
    for entered, message in expected.items():
        with subtests.test(entered=entered):
            assert log_in(entered) == (1, "", f"budgetframe login: {message}\n")
            assert entries == {}


@pytest.mark.usefixtures("entries")
def test_a_question_that_is_not_answered_ends_with_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], address: str
) -> None:
    keys = iter([KeyboardInterrupt, EOFError])

    def pressed(_question: str) -> str:
        raise next(keys)

    monkeypatch.setattr("getpass.getpass", pressed)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    assert [main(["login", "--base-url", address]) for _ in range(2)] == [130, 1]
    lines = "interrupted", "no token was entered. Nothing was stored"
    assert capsys.readouterr().err == "".join(f"budgetframe login: {line}\n" for line in lines)


def test_the_environment_variable_comes_before_the_keyring(
    monkeypatch: pytest.MonkeyPatch, entries: Entries, service: Sandbox, address: str
) -> None:
    entries["budgetframe", address] = "another-token"
    monkeypatch.setenv("BUDGETFRAME_TOKEN", TOKEN)
    with BudgetFrame.connect(base_url=address) as bf:
        assert bf.user().id == service.user_id


def test_a_token_is_only_used_for_its_own_address(entries: Entries, address: str) -> None:
    entries["budgetframe", "https://api.ynab.com/v1"] = TOKEN
    with pytest.raises(ToolError, match="no token"):
        BudgetFrame.connect(base_url=address)


def test_a_keyring_that_does_not_keep_the_token_is_an_error_that_says_so(
    log_in: LogIn, entries: Entries, subtests: pytest.Subtests
) -> None:
    message = (
        "budgetframe login: the system's keyring does not keep the token: unlock it and try again,"
        " or set the environment variable BUDGETFRAME_TOKEN. Nothing was stored"
    )
    for backend, reason in ((ReadOnlyKeyring(), " (PasswordSetError)"), (ForgetfulKeyring(), "")):
        with subtests.test(name=type(backend).__name__):
            keyring.set_keyring(backend)
            assert log_in(f"{TOKEN}\n") == (1, "", f"{message}{reason}\n")
    assert entries == {}


NO_KEYRING = (
    "this machine has no keyring, or it is switched off: put the token into the environment"
    " variable BUDGETFRAME_TOKEN instead. Nothing was changed"
)
LOCKED = (
    "the system's keyring cannot be used (KeyringLocked): unlock it and try again, or use the"
    " environment variable BUDGETFRAME_TOKEN. Nothing was changed"
)


@pytest.mark.parametrize(
    "unusable", [(fail.Keyring, NO_KEYRING), (null.Keyring, NO_KEYRING), (LockedKeyring, LOCKED)],
    ids=["no keyring", "switched off", "locked"],
)  # fmt: skip
@pytest.mark.usefixtures("entries")
def test_a_keyring_that_cannot_be_used_is_named_by_logout_and_before_a_token_is_asked_for(
    unusable: tuple[type[KeyringBackend], str], monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str], service: Sandbox, address: str,
) -> None:  # fmt: skip
    backend, message = unusable
    keyring.set_keyring(backend())
    served, standard_input = service.requests_served, io.StringIO(f"{TOKEN}\n")
    monkeypatch.setattr("sys.stdin", standard_input)
    assert main(["login", "--base-url", address]) == 1
    assert capsys.readouterr().err == f"budgetframe login: {message}\n"
    assert standard_input.read() == f"{TOKEN}\n"  # nobody has read it
    assert main(["logout", "--base-url", address]) == 1
    is_off = backend is null.Keyring
    expected = f"the system's keyring has no token for {address}" if is_off else message
    assert capsys.readouterr().err == f"budgetframe logout: {expected}\n"
    assert service.requests_served == served
    with pytest.raises(ToolError, match="no token"):
        BudgetFrame.connect(base_url=address)


def test_without_the_library_login_names_the_extra_and_connect_asks_as_before(
    monkeypatch: pytest.MonkeyPatch, log_in: LogIn, entries: Entries, address: str
) -> None:
    entries["budgetframe", address] = TOKEN
    monkeypatch.setitem(sys.modules, "keyring", None)
    missing = "the system's keyring needs keyring: pip install 'budgetframe[keyring]'"
    assert log_in(f"{TOKEN}\n") == (1, "", f"budgetframe login: {missing}\n")
    with pytest.raises(ToolError, match="no token"):
        BudgetFrame.connect(base_url=address)
