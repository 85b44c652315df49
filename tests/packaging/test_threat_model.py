"""Every claim of the threat model that names a test names one that exists."""

import re
from pathlib import Path

PAGES = ("docs/threat-model.md", "docs/supply-chain.md")
AWAITED = {
    "test_a_changed_byte_is_found",
    "test_a_changed_payload_is_refused",
    "test_a_file_signed_anew_by_somebody_else_passes_for_nobody_who_names_the_key",
    "test_a_file_that_was_cut_off_is_found",
    "test_a_page_asks_first_and_another_page_may_not_ask",
    "test_a_rotated_key_is_found_and_strangers_do_not_make_the_face_fetch",
    "test_a_round_is_finished_by_the_person_who_was_shown_the_question",
    "test_a_signature_has_to_be_the_issuers_and_of_an_allowed_kind",
    "test_a_token_is_asked_for_where_there_is_one",
    "test_a_token_with_other_claims_proves_nothing",
    "test_a_tools_text_is_in_no_span",
    "test_another_spelling_of_an_id_is_no_second_person_and_gives_no_right",
    "test_it_does_not_start_open_to_a_network_or_without_keys",
    "test_lines_that_were_moved_doubled_or_added_are_found",
    "test_no_argument_names_another_person_tenant_or_role",
    "test_no_label_holds_an_id_or_what_a_caller_typed",
    "test_se_01_somebody_elses_yes_cancel_and_look_are_refused_at_the_network",
    "test_se_03_a_yes_to_what_nobody_asked_makes_nothing",
    "test_se_03_what_a_start_claims_about_itself_skips_nothing",
    "test_se_05_without_keys_logs_events_errors_and_ids_are_clean",
    "test_tenants_do_not_exist_for_each_other",
    "test_two_approvals_are_two_people_whom_the_policy_lets",
    "test_who_may_confirm_and_who_may_change",
    "test_with_keys_no_byte_that_temporal_holds_tells_anything",
    "test_without_a_worker_a_foreign_id_is_told_as_soon_as_an_invented_one",
}
"""Of parts that are merged beside this page."""


def test_every_test_that_is_named_exists(root: Path, pages: dict[str, str]) -> None:
    defined = {
        name
        for file in (root / "tests").rglob("test_*.py")
        for name in re.findall(r"^(?:async )?def (test_\w+)", file.read_text(), re.MULTILINE)
    }
    named = {name for page in PAGES for name in re.findall(r"`(test_\w+)`", pages[page])}
    assert len(named) > 40
    assert named - defined <= AWAITED
