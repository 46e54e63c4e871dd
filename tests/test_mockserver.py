from __future__ import annotations

import pytest
from mockserver import MockServer


@pytest.mark.parametrize(
    ("error", "printed"), [(ConnectionResetError(), False), (KeyError("a bug of a test"), True)]
)
def test_only_a_client_that_hangs_up_is_nothing_to_write_about(
    capsys: pytest.CaptureFixture[str], error: Exception, printed: bool
) -> None:
    with MockServer({}) as server:
        try:
            raise error
        except Exception:
            server._server.handle_error(None, ("127.0.0.1", 1))
    assert bool(capsys.readouterr().err) == printed
