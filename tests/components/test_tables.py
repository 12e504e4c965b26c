from components.marks import PROPOSED
from components.tables import acceptance_table, provenance_table, timeline_table, tree_table


def test_tree_table_by_hand(tiny):
    table = tree_table(tiny, tiny.steps[1])
    assert table["token"].tolist() == ["·sky", "<b>", "·is", "·x"]
    assert table["verdict"].tolist() == ["accepted", "rejected", "accepted", "untested"]
    assert table.loc[1, "why"] == "Rejected: the target chose “·sky” there."
    assert table.loc[2, "rank"] == 1


def test_tree_table_of_the_prefill_is_empty(tiny):
    assert tree_table(tiny, tiny.steps[0]).empty


def test_timeline_table_has_a_row_per_step(sample):
    assert len(timeline_table(sample)) == sum(len(trace.steps) for trace in sample.traces)


def test_acceptance_table_leaves_vanilla_out(sample):
    table = acceptance_table(sample)
    assert set(table["lane"]) == {"EAGLE", "EAGLEY"}
    assert table["depth 1"].isin([*PROPOSED, "rejected"]).all()


def test_provenance_table_covers_every_run_of_positions(sample):
    table = provenance_table(sample)
    assert len(table) == sum(len(s.cache) for t in sample.traces for s in t.steps)
    assert (table["to"] >= table["from"]).all()
