// SPDX-License-Identifier: Apache-2.0
// What compute ranks do together: each says what it is there for, and whether somebody has failed.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <map>

#include "output/state.hpp"
#include "ranks/rank_names.hpp"
#include "thalweg/error.hpp"
#include "thalweg/wait.hpp"

namespace thalweg {

namespace {

struct Call {
  const char *is_waited_for, *does;
};
constexpr std::array calls{
    // [Together]
    Call{"the other ranks to end their definitions", "ended the definition"},
    Call{"compute ranks to agree that output works", "went on with the run"},
    Call{"all compute ranks to read state", "came to read state"},
    Call{"all compute ranks to write a restart set", "came to write state"},
    Call{"all compute ranks to close their output", "came to close"},
    Call{"all compute ranks to end an output time", "ended the output time"},
};

const Call& call_of(Together together) { return calls[static_cast<std::size_t>(together)]; }

// What a rank is there for: a call, and the time of an output time that it ended.
using Asked = std::array<std::int64_t, 2>;

std::string does(const Asked& asked) {
  const auto& call = calls[static_cast<std::size_t>(asked[0])];
  if (asked[0] != static_cast<int>(Together::output_time)) return call.does;
  return fmt::format("{} of {} s", call.does, ModelTime::of_ms(asked[1]).seconds());
}

}  // namespace

void Output::State::hear() {
  if (engine) return engine->poll();
  news->look();
  news->throw_if_left();
}

void Output::State::await(MPI_Request& request, std::string_view what) {
  wait_until(
      [&] {
        hear();
        int done = 0;
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        return done != 0;
      },
      what);
}

// The largest numbers are heard: so failures are counted from the end, and calls from both ends.
void Output::State::ask(Together call, ModelTime at) {
  asked = call;
  asked_at = at;
  unheard = true;
  const int number = static_cast<int>(call);
  together.ask(agreement, {news->none() - news->first(), number, -number, at.ms(), -at.ms()});
}

bool Output::State::all_the_same() {
  const auto& [failed, last_call, first_call, last_time, first_time] = together.largest();
  return last_call == -first_call && last_time == -first_time;
}

void Output::State::hear_answer() {
  if (!unheard) return;
  await(together.request(), call_of(asked).is_waited_for);
  unheard = false;
  if (!all_the_same()) tell_who_differs();
  const auto failed = static_cast<int>(together.largest()[0]);
  if (failed != 0) end_together(news->none() - failed);
}

void Output::State::look_for_difference() {
  if (!unheard) return;
  int done = 0;
  MPI_Test(&together.request(), &done, MPI_STATUS_IGNORE);
  if (done == 0) return;
  if (all_the_same()) return;
  unheard = false;
  tell_who_differs();
}

void Output::State::meet(Together call) {
  hear_answer();
  ask(call);
  hear_answer();
}

void Output::State::tell_who_differs() {
  struct Numbers {
    Asked own{};
    std::vector<Asked> all;
  };
  Pending<Numbers> numbers;
  numbers->own = {static_cast<std::int64_t>(asked), asked_at.ms()};
  numbers->all.resize(ranks.compute_ranks);
  MPI_Iallgather(&numbers->own, 2, MPI_INT64_T, numbers->all.data(), 2, MPI_INT64_T, agreement,
                 &numbers.request());
  await(numbers.request(), "the other ranks to say what they are there for");
  std::map<Asked, std::vector<int>> ranks_of;
  for (std::size_t rank = 0; rank < numbers->all.size(); ++rank)
    ranks_of[numbers->all[rank]].push_back(static_cast<int>(rank));
  std::vector<std::string> who;
  for (const auto& [asked_of_some, some] : ranks_of)
    who.push_back(fmt::format("{} {}", rank_names(some), does(asked_of_some)));
  fail_everywhere(Error(Blame::user, fmt::format("the compute ranks make different calls ({}); all "
                                                 "must make the same ones, in the same order",
                                                 fmt::join(who, "; "))));
}

void Output::State::end_together(int failed) {
  wait_until([&] { return hear(), news->of(failed).has_value(); },
             "the sentence of a rank that failed");
  failure = news->of(failed);
  try {
    if (!ended && engine) engine->close(true);
  } catch (const Error&) {
    // A rank that never came: the failure that began it says more than the wait that followed.
  }
  ended = true;
  end();
  throw Error(*failure);
}

}  // namespace thalweg
