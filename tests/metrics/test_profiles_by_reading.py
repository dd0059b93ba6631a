"""The profiles of systems that cannot be run here: numbers derived by hand from their sources and documentation."""

from __future__ import annotations

from math import log2

import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.definitions.profiles import profiles

from ..conftest import per_query, quietly

BY_READING = ("elasticsearch", "opensearch", "quepid", "hivemall", "tf-ranking")

# definitions b.1: one document returned, relevant, R = 5, k = 10
ONE_OF_FIVE = 1 / (1 + 1 / log2(3) + 1 / log2(4) + 1 / log2(5) + 1 / log2(6))


def score(profile, grades, metric, missed=(), **options):
    """The value of one list of grades, None where an item is not judged; ``missed`` are judged and not returned."""
    run = {"q": [f"item{rank}" for rank in range(len(grades))]}
    judged = {f"item{rank}": grade for rank, grade in enumerate(grades) if grade is not None}
    qrels = {"q": judged | {f"missed{number}": grade for number, grade in enumerate(missed)}}
    return per_query(run, qrels, [metric], profile=profile, **options)["q"][metric]


@pytest.mark.parametrize("name", BY_READING)
def test_every_spelling_is_a_metric(name):
    profile = profiles()[name]
    assert not profile.package
    for spelling in profile.spellings:
        assert rm.sql([f"{spelling}@10" if spelling != "auc" else spelling], "run", "qrels", profile=name)


@pytest.mark.parametrize(
    ("profile", "ndcg"), [("elasticsearch", 1), ("hivemall", 1), ("opensearch", ONE_OF_FIVE), ("quepid", ONE_OF_FIVE)]
)
def test_one_document_returned_of_five(profile, ndcg):
    assert score(profile, [1], "ndcg@10", missed=[1, 1, 1, 1]) == pytest.approx(ndcg, abs=1e-12)


@pytest.mark.parametrize(
    ("profile", "ap"),
    [("opensearch", 5 / 3 / 5), ("quepid", 5 / 3 / 5), ("hivemall", 5 / 3 / 2), ("tf-ranking", 5 / 3 / 2)],
)
def test_average_precision_of_two_hits_among_five(profile, ap):
    """Definitions b.2: [rel, non, rel], k = 3, R = 5; precisions 1 + 2/3. For TF Ranking the list is all there is."""
    assert score(profile, [1, 0, 1], "ap@3", missed=[1, 1, 1]) == pytest.approx(ap, abs=1e-12)


@pytest.mark.parametrize("profile", BY_READING)
def test_precision_of_a_list_shorter_than_k(profile):
    """Definitions b.4: over the two that were returned."""
    assert score(profile, [1, 0], "p@10", missed=[1]) == 1 / 2


class TestElasticsearch:
    GAINS = (7, 3, 7, 0, 1, 3)  # 2^g - 1 of 3, 2, 3, 0, 1, 2

    def dcg(self, gains):
        return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, start=1))

    def test_dcg_and_ndcg(self):
        """The list of the Wikipedia article that its own test uses: 13.848 of 14.595."""
        grades = [3, 2, 3, 0, 1, 2]
        assert score("elasticsearch", grades, "dcg@10") == pytest.approx(self.dcg(self.GAINS), abs=1e-12)
        ideal = self.dcg(sorted(self.GAINS, reverse=True))
        assert ideal == pytest.approx(14.595390756454922, abs=1e-12)
        assert score("elasticsearch", grades, "ndcg@10") == pytest.approx(13.84826362927298 / ideal, abs=1e-12)

    def test_the_ideal_is_as_long_as_the_hits_returned(self):
        expected = (3 + 7 / log2(3)) / (7 + 3 / log2(3))  # and not + 1/2 for the third rated document
        assert score("elasticsearch", [2, 3], "ndcg@10", missed=[1]) == pytest.approx(expected, abs=1e-12)

    def test_unrated_documents_keep_their_rank(self):
        assert score("elasticsearch", [None, 3], "dcg@10") == pytest.approx(7 / log2(3), abs=1e-12)
        assert score("elasticsearch", [None, 3], "expected_reciprocal_rank(err_max=3)@10") == pytest.approx(7 / 8 / 2)

    def test_unknown_doc_rating_is_not_in_the_ideal(self):
        found = score("elasticsearch", [None, 1], "ndcg@10", unjudged=2)
        assert found == pytest.approx((3 + 1 / log2(3)) / 1, abs=1e-12)

    def test_expected_reciprocal_rank(self):
        expected = 3 / 8 + 5 / 8 * (7 / 8) / 2 + 5 / 8 * (1 / 8) * (1 / 8) / 3
        assert score("elasticsearch", [2, 3, 1], "err(err_max=3)@10") == pytest.approx(expected, abs=1e-12)

    def test_ignore_unlabeled_after_the_list_is_cut(self):
        """Hits: unrated, 1, 0, 1 with k = 3: one true and one false positive."""
        assert score("elasticsearch", [None, 1, 0, 1], "precision(unjudged=drop,depth=3)") == 1 / 2

    @pytest.mark.parametrize(
        ("metric", "expected"),
        [("mean_reciprocal_rank@10", 1), ("mean_reciprocal_rank(rel=2)@10", 1 / 2), ("recall@1", 1 / 3)],
    )
    def test_relevant_rating_threshold(self, metric, expected):
        assert score("elasticsearch", [1, 2], metric, missed=[1]) == pytest.approx(expected)

    def test_a_request_without_hits_counts(self):
        result = quietly(rm.evaluate, {"x": ["a"]}, {"x": ["a"], "y": ["a"]}, ["precision@10"], profile="elasticsearch")
        assert result["precision@10"] == 1 / 2


class TestOpenSearch:
    def test_any_judgment_above_0_is_relevant(self):
        """[0.2, 0, 1] of three relevant ones."""
        found = {
            metric: score("opensearch", [0.2, 0, 1], metric, missed=[0.1]) for metric in ("Recall@3", "MAP@3", "MRR@3")
        }
        assert found == pytest.approx({"Recall@3": 2 / 3, "MAP@3": (1 + 2 / 3) / 3, "MRR@3": 1})

    def test_ndcg(self):
        """All rated documents, cut at k: grades 2 and 3 at ranks 1 and 2, where 3 and 3 could be."""
        expected = (3 + 7 / log2(3)) / (7 + 7 / log2(3))
        assert score("opensearch", [2, 3], "NDCG@2", missed=[3]) == pytest.approx(expected, abs=1e-12)

    def test_coverage_is_over_what_was_returned(self):
        assert score("opensearch", [1, None, 0], "Coverage@10", missed=[1]) == pytest.approx(2 / 3)


class TestQuepid:
    def test_a_perfect_page_scores_less_than_1(self):
        """Eleven documents rated 1: the ideal goes on to the eleventh."""
        ten, eleven = (sum(1 / log2(rank + 1) for rank in range(1, n + 1)) for n in (10, 11))
        assert score("quepid", [1] * 10, "nDCG@10", missed=[1]) == pytest.approx(ten / eleven, abs=1e-12)
        assert score("quepid", [1] * 10, "nDCG_cut@10", missed=[1]) == pytest.approx(1, abs=1e-12)

    def test_gains(self):
        """CG adds the ratings, DCG 2^rating - 1."""
        assert score("quepid", [3, None, 2], "CG@10") == 3 + 2
        assert score("quepid", [3, None, 2], "DCG@10") == pytest.approx(7 + 3 / 2, abs=1e-12)

    def test_err_on_the_scale_0_to_3(self):
        assert score("quepid", [3, 1], "ERR@10") == pytest.approx(7 / 8 + 1 / 8 * (1 / 8) / 2, abs=1e-12)

    def test_reciprocal_rank_of_any_positive_rating(self):
        assert score("quepid", [0, None, 1], "RR@10") == pytest.approx(1 / 3)


class TestHivemall:
    def test_names(self):
        """Two of three relevant items within the first four."""
        found = {
            name: score("hivemall", [0, 1, 0, 1], f"{name}@4", missed=[1])
            for name in ("precision_at", "recall_at", "hitrate", "mrr", "average_precision")
        }
        assert found == pytest.approx(
            {
                "precision_at": 2 / 4,
                "recall_at": 2 / 3,
                "hitrate": 1,
                "mrr": 1 / 2,
                "average_precision": (1 / 2 + 2 / 4) / 2,
            }
        )

    def test_auc(self):
        """One relevant item before the first other one, two before the second: 3 of 4 pairs."""
        assert score("hivemall", [1, 0, 1, 0], "auc") == pytest.approx(3 / 4)
        assert score("hivemall", [1, 0, 1, 0], "auc(depth=3)") == pytest.approx(1 / 2)

    @pytest.mark.parametrize("grades", [[1, 1], [0, 0]])
    def test_auc_without_a_pair(self, grades):
        assert score("hivemall", grades, "auc", missed=[1]) == 1 / 2

    def test_ndcg_of_grades(self):
        assert score("hivemall", [1, 3], "ndcg@2") == pytest.approx(1, abs=1e-12)
        expected = (1 + 7 / log2(3)) / (7 + 1 / log2(3))
        assert score("hivemall", [1, 3], "ndcg(gain=exp2,ideal_depth=min_k)@2") == pytest.approx(expected, abs=1e-12)

    def test_inner_join_of_lists_and_truth(self):
        result = quietly(
            rm.evaluate, {"x": ["a", "b"]}, {"x": ["a"], "y": ["a"]}, ["precision_at@2"], profile="hivemall"
        )
        assert result["precision_at@2"] == 1 / 2


class TestTensorFlowRanking:
    @pytest.mark.parametrize(
        ("metric", "expected"),
        [
            ("mrr", 1 / 2),
            ("ndcg", (1 / log2(3) + 1 / 2) / (1 + 1 / log2(3))),
            ("dcg", 1 / log2(3) + 1 / 2),
            ("map", (1 / 2 + 2 / 3) / 2),
            ("precision@2", 1 / 2),
            ("recall@2", 1 / 2),
            ("hits@1", 0),
            ("hits@2", 1),
            ("arp", (2 + 3) / 2),
            ("ordered_pair_accuracy", 0),
        ],
    )
    def test_the_example_of_its_documentation(self, metric, expected):
        """Labels 0, 1, 1 and scores 3, 1, 2: the labels by score are 0, 1, 1."""
        assert score("tf-ranking", [0, 1, 1], metric, missed=[1]) == pytest.approx(expected, abs=1e-12)

    def test_opa_and_arp_weigh_lists_with_pairs_and_grades(self):
        """x: grades 2, 0, 1 make three pairs, one wrong; ranks 1 * 2 + 3 * 1. y: one pair, wrong; rank 2 * 1."""
        run, qrels = {"x": ["a", "b", "c"], "y": ["b", "a"]}, {"x": {"a": 2, "c": 1}, "y": {"a": 1}}
        result = quietly(rm.evaluate, run, qrels, ["opa", "arp"], profile="tf-ranking")
        assert [result["opa"], result["arp"]] == pytest.approx([(2 + 0) / (3 + 1), (2 + 3 + 2) / (2 + 1 + 1)])

    def test_a_pair_of_equal_scores_is_wrong(self):
        run, qrels = {"q": {"a": 1.0, "b": 1.0, "c": 0.5}}, {"q": {"a": 1, "b": 0, "c": 0}}
        assert per_query(run, qrels, ["opa"], profile="tf-ranking")["q"]["opa"] == 1 / 2

    def test_scores_that_are_equal_as_single_precision(self):
        """Either item may come first: the mean of 1 and 1/2."""
        run, qrels = {"q": {"a": 0.5, "b": 0.50000000001}}, {"q": {"a": 1, "b": 0}}
        assert per_query(run, qrels, ["mrr"], profile="tf-ranking")["q"]["mrr"] == pytest.approx(3 / 4)

    def test_a_list_without_a_relevant_item_counts(self):
        result = quietly(
            rm.evaluate, {"x": ["a"], "y": ["a"]}, {"x": ["a"], "y": {"a": 0}}, ["mrr"], profile="tf-ranking"
        )
        assert result["mrr"] == 1 / 2

    def test_bpref_counts_what_is_in_the_list(self):
        """R = 2 and N = 2 in the list 0, 1, 0, 1: 1 - 1/2 and 1 - 2/2."""
        assert score("tf-ranking", [0, 1, 0, 1], "bpref", missed=[1, 0]) == pytest.approx((1 / 2 + 0) / 2)
