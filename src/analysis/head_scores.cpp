#include "analysis/head_scores.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <unordered_map>

namespace rollscope {
namespace {

constexpr std::array kFields{
    HeadScoreField{"entropy_mean", &HeadScores::entropy_mean},
    HeadScoreField{"entropy_normalised_mean", &HeadScores::entropy_normalised_mean},
    HeadScoreField{"confidence_mean_max", &HeadScores::confidence_mean_max},
    HeadScoreField{"mean_distance", &HeadScores::mean_distance},
    HeadScoreField{"signed_offset", &HeadScores::signed_offset},
    HeadScoreField{"patch_distance", &HeadScores::patch_distance},
    HeadScoreField{"first_token", &HeadScores::first_token},
    HeadScoreField{"first_token_excl_row0", &HeadScores::first_token_excl_row0},
    HeadScoreField{"previous_token", &HeadScores::previous_token},
    HeadScoreField{"previous_token_tl_mul", &HeadScores::previous_token_tl_mul},
    HeadScoreField{"next_token", &HeadScores::next_token},
    HeadScoreField{"diagonal", &HeadScores::diagonal},
    HeadScoreField{"duplicate_tl_mul", &HeadScores::duplicate_tl_mul},
    HeadScoreField{"duplicate_rows_mean", &HeadScores::duplicate_rows_mean},
    HeadScoreField{"induction_tl_mul", &HeadScores::induction_tl_mul},
    HeadScoreField{"induction_rows_mean", &HeadScores::induction_rows_mean},
    HeadScoreField{"delimiter", &HeadScores::delimiter},
};

// For each position the last earlier one with the same token, or -1.
std::vector<int> earlier_equal(std::span<const int> ids) {
  std::unordered_map<int, int> last;
  std::vector<int> earlier(ids.size(), -1);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto [at, fresh] = last.try_emplace(ids[i], static_cast<int>(i));
    if (fresh) continue;
    earlier[i] = at->second;
    at->second = static_cast<int>(i);
  }
  return earlier;
}

// Reads one head row by row.
class Scorer {
 public:
  Scorer(ConstMatrixView head, std::span<const int> ids, const HeadScoresOptions& options)
      : head_(head), options_(options), same_(options.same_tokens && head.rows == head.columns),
        keys_(head.columns - (options.virtual_sink ? 1 : 0)),
        rows_(head.rows - (options.virtual_sink && head.rows == head.columns ? 1 : 0)) {
    assert(ids.empty() || static_cast<int>(ids.size()) >= keys_);
    assert(options.delimiters.empty() || static_cast<int>(options.delimiters.size()) >= keys_);
    if (same_ && !ids.empty()) earlier_ = earlier_equal(ids.first(static_cast<std::size_t>(keys_)));
    const PatchGrid& g = options.grid;
    if (same_ && g.rows > 0 && g.columns > 0 && g.prefix >= 0 && g.prefix + g.rows * g.columns <= keys_) patches_ = g.rows * g.columns;
    out_.entropy_rows.assign(static_cast<std::size_t>(head.rows), std::numeric_limits<double>::quiet_NaN());
  }

  HeadScores run() {
    for (int i = 0; i < rows_; ++i) {
      row_ = head_.row(i);
      double sum = 0;
      for (const Real x : row_) sum += static_cast<double>(x);
      if (!std::isfinite(sum) || !(sum > 0)) continue;
      visible_ = options_.causal ? std::min(i + 1, keys_) : keys_;
      // A virtual sink is one more place where weight can go.
      choices_ = visible_ + (options_.virtual_sink ? 1 : 0);
      shape(i);
      delimiters();
      if (!same_) {
        out_.first_token.add(at(0));
        continue;
      }
      positions(i);
      if (!earlier_.empty()) repeats(i, sum);
      if (patches_ > 0) patches(i);
      out_.previous_token_tl_mul.sum += i > 0 ? at(i - 1) : 0;
      out_.previous_token_tl_mul.weight += sum;
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] double at(int j) const { return static_cast<double>(row_[static_cast<std::size_t>(j)]); }
  void chance(HeadRole role, int targets) { out_.chance[static_cast<std::size_t>(role)].add(static_cast<double>(targets) / choices_); }

  void shape(int i) {
    double entropy = 0, most = at(0);
    for (const Real x : row_) {
      const auto p = static_cast<double>(x);
      if (p > 0) entropy -= p * std::log(p);
      most = std::max(most, p);
    }
    out_.entropy_rows[static_cast<std::size_t>(i)] = entropy;
    out_.entropy_mean.add(entropy);
    if (choices_ > 1) out_.entropy_normalised_mean.add(entropy / std::log(choices_));
    out_.confidence_mean_max.add(most);
  }

  void positions(int i) {
    double distance = 0, offset = 0;
    for (int j = 0; j < keys_; ++j) {
      distance += at(j) * std::abs(i - j);
      offset += at(j) * (j - i);
    }
    out_.mean_distance.add(distance);
    out_.signed_offset.add(offset);
    out_.first_token.add(at(0));
    out_.diagonal.add(at(i));
    chance(HeadRole::self, 1);
    if (i > 0) {
      out_.first_token_excl_row0.add(at(0));
      out_.previous_token.add(at(i - 1));
      chance(HeadRole::first, 1);
      chance(HeadRole::previous, 1);
    }
    if (i + 1 < keys_) {
      out_.next_token.add(at(i + 1));
      chance(HeadRole::next, i + 1 < visible_ ? 1 : 0);
    }
  }

  void repeats(int i, double sum) {
    double duplicate = 0, induction = 0, itself = 0;
    int equals = 0, targets = 0;
    for (int p = earlier_[static_cast<std::size_t>(i)]; p >= 0; p = earlier_[static_cast<std::size_t>(p)]) {
      duplicate += at(p);
      ++equals;
      if (p + 1 == i) {
        itself = at(i);
      } else {
        induction += at(p + 1);
        ++targets;
      }
    }
    out_.duplicate_tl_mul.sum += duplicate;
    out_.induction_tl_mul.sum += induction + itself;
    out_.duplicate_tl_mul.weight += sum;
    out_.induction_tl_mul.weight += sum;
    if (equals > 0) {
      out_.duplicate_rows_mean.add(duplicate);
      chance(HeadRole::duplicate, equals);
    }
    if (targets > 0) {
      out_.induction_rows_mean.add(induction);
      chance(HeadRole::induction, targets);
    }
  }

  void delimiters() {
    if (options_.delimiters.empty()) return;
    double mass = 0;
    int targets = 0;
    for (int j = 1; j < visible_; ++j)
      if (options_.delimiters[static_cast<std::size_t>(j)]) mass += at(j), ++targets;
    if (targets == 0) return;
    out_.delimiter.add(mass);
    chance(HeadRole::delimiter, targets);
  }

  void patches(int i) {
    const int prefix = options_.grid.prefix, columns = options_.grid.columns, self = i - prefix;
    if (self < 0 || self >= patches_) return;
    double distance = 0, mass = 0;
    for (int p = 0; p < patches_; ++p) {
      const double weight = at(prefix + p);
      const double down = p / columns - self / columns, right = p % columns - self % columns;
      distance += weight * std::sqrt(down * down + right * right);
      mass += weight;
    }
    if (mass > 0) out_.patch_distance.add(distance / mass);
  }

  ConstMatrixView head_;
  const HeadScoresOptions& options_;
  bool same_;
  int keys_, rows_, patches_ = 0;
  std::vector<int> earlier_;
  HeadScores out_;
  std::span<const Real> row_;
  int visible_ = 0, choices_ = 0;
};

}  // namespace

std::string_view head_role_name(HeadRole role) {
  constexpr std::array<std::string_view, kHeadRoles> names{"mixed", "previous", "next", "first", "self", "duplicate", "induction", "delimiter"};
  return names[static_cast<std::size_t>(role)];
}

std::span<const HeadScoreField> head_score_fields() { return kFields; }

HeadScores head_scores(ConstMatrixView head, std::span<const int> ids, const HeadScoresOptions& options) {
  assert(head.columns > (options.virtual_sink ? 1 : 0));
  return Scorer(head, ids, options).run();
}

void pool(HeadScores& into, const HeadScores& more) {
  const auto add = [](PooledMean& a, const PooledMean& b) { a.sum += b.sum, a.weight += b.weight; };
  for (const auto& field : kFields) add(into.*field.mean, more.*field.mean);
  for (std::size_t r = 0; r < into.chance.size(); ++r) add(into.chance[r], more.chance[r]);
  into.entropy_rows.clear();
}

RoleScore role_score(const HeadScores& s, HeadRole role) {
  constexpr std::array<PooledMean HeadScores::*, kHeadRoles> scores{
      nullptr, &HeadScores::previous_token, &HeadScores::next_token, &HeadScores::first_token_excl_row0, &HeadScores::diagonal,
      &HeadScores::duplicate_rows_mean, &HeadScores::induction_rows_mean, &HeadScores::delimiter};
  const auto r = static_cast<std::size_t>(role);
  return role == HeadRole::mixed ? RoleScore{} : RoleScore{s.*scores[r], s.chance[r]};
}

HeadRole suggested_role(const HeadScores& scores) {
  HeadRole best = HeadRole::mixed;
  double most = kRoleScore;
  for (int r = 1; r < kHeadRoles; ++r) {
    const auto role = static_cast<HeadRole>(r);
    const auto [score, chance] = role_score(scores, role);
    if (score.weight < kRoleRows || !(score.value() > kRoleTimesChance * chance.value()) || !(score.value() > most)) continue;
    best = role;
    most = score.value();
  }
  return best;
}

}  // namespace rollscope
