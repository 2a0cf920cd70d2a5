# SPDX-License-Identifier: Apache-2.0
"""Lines, statements and characters of small texts are those counted by hand."""

from __future__ import annotations

import pytest

from thalweg.dsl.configuration import ON_RANKS, TARGETS, Configuration
from thalweg.kernels.compiled import translate
from thalweg.kernels.library import FOLDER, all_kernels
from thalweg.loc import cpp_text, python_text
from thalweg.loc.counts import Counts, total
from thalweg.loc.originals import ORIGINALS
from thalweg.loc.written import written_files, written_kernel
from thalweg.testing.examples import examples

KERNELS = all_kernels()
OURS = '''# a comment
"""What the file is for."""

@kernel
def smooth(
    t: Field[Cell, Level, "K"],  # another

    out: Out[Cell, Level, "K"],
) -> None:
    """Documents,

    on three lines."""
    out = (
        t + 1
    )
'''
CPP = r"""// a comment; with a semicolon {
#include <vector>
#pragma omp \
  simd
namespace some { struct Pair { int a, b; }; }

/* two
   lines; */
static inline int twice(int x) { return 2 * x; }
extern "C" void all(int n) {
  const auto row = [&](int from) {
    if (from > 0) return;  // for (;;)
    else from = 1;
  };
  for (int i = 0; i < n;
       ++i) {
    each(i, [&](int k) __attribute__((always_inline)) {
      use(k, "a } string; // no comment", ';', '{', 1'000);
    });
  }
  some::Pair pair{1, 2};
  int table[2][2] = {{1, 2}, {3, 4}};
}
"""


def test_ours_counts_logical_lines_and_no_documentation() -> None:
    # @kernel | def smooth( | t | out | ) -> None: | out = ( | t + 1 | )
    characters = len(
        '@kerneldefsmooth(t:Field[Cell,Level,"K"],out:Out[Cell,Level,"K"],)->None:out=(t+1)'
    )
    assert python_text.count(OURS) == Counts(8, 3, characters)
    documents, smooth = python_text.split(OURS)
    assert documents.counts == Counts()
    assert (smooth.name, smooth.line, smooth.head) == ("smooth", 4, 5)
    assert smooth.counts == python_text.count(OURS)


def test_a_string_that_is_used_counts_with_its_lines_but_no_empty_ones() -> None:
    assert python_text.count('x = """a b\n\nc"""\n') == Counts(2, 1, len('x="""abc"""'))


def test_cpp_counts_statements_however_they_are_laid_out() -> None:
    counts = cpp_text.count(CPP)
    # include | pragma | namespace, struct, its member | twice, return | all | row | if | else
    # | for | each | use | pair | table
    assert counts.statements == 16
    assert counts.lines == 19
    joined = " ".join(cpp_text.without_comments(CPP).split())
    assert cpp_text.count(
        joined.replace("#include <vector> #pragma omp \\ simd", "")
    ).statements == (16 - 2)


def test_cpp_is_split_into_its_outermost_pieces() -> None:
    pieces = cpp_text.split(CPP)
    begins = ["#include", "#pragma", "namespace", "static inline", 'extern "C"']
    assert [piece.startswith(begin) for piece, begin in zip(pieces, begins, strict=True)] == [
        True
    ] * 5
    assert total(cpp_text.count(piece) for piece in pieces) == cpp_text.count(CPP)


@pytest.mark.parametrize("text", ["void f() {", "}", "void f() { g(}"])
def test_braces_that_do_not_match_are_no_count(text: str) -> None:
    with pytest.raises(ValueError, match="brace"):
        cpp_text.count(text)


@pytest.mark.some(3)
@pytest.mark.parametrize("target", TARGETS)
def test_pieces_are_all_of_the_code_of_every_kernel(target: str) -> None:
    """For ranks by default of every fifth one: most of their code is the same in all."""
    for name in list(KERNELS)[:: examples(5, 1) if target in ON_RANKS else 1]:
        kernel = KERNELS[name]
        if target in ON_RANKS and name in ("block_extremes", "component_two"):
            continue  # groups: not translated for ranks
        code = translate(kernel, Configuration(target=target))
        whole = python_text.count(code) if target == "numpy" else cpp_text.count(code)
        assert min(whole.lines, whole.statements, whole.characters) > 0, name
        if target == "numpy":
            assert total(piece.counts for piece in python_text.split(code)) == whole, name
        else:
            assert total(map(cpp_text.count, cpp_text.split(code))) == whole, name


def test_the_code_of_gradient_is_counted_as_by_hand() -> None:
    gradient = KERNELS["gradient"]
    (piece,) = written_kernel(gradient).values()
    # @kernel | def on one line | the difference
    assert (piece.counts.lines, piece.counts.statements, piece.head) == (3, 3, 2)
    serial = cpp_text.count(translate(gradient, Configuration(target="serial")))
    # an include, the head, a loop, two neighbours, a loop, the difference; three braces
    assert (serial.lines, serial.statements) == (10, 7)
    numpy = python_text.count(translate(gradient, Configuration(target="numpy")))
    assert (numpy.lines, numpy.statements) == (3, 3)  # import, def, the difference


def test_a_kernel_counts_what_it_calls_and_its_constants_once() -> None:
    horizontal = written_kernel(KERNELS["caldyn_horiz"])
    assert [piece.name for piece in sorted(horizontal.values(), key=lambda each: each.line)] == [
        "least_area", "least_distance", "convergence_of_fluxes", "add_kinetic_energy",
        "add_gradients", "caldyn_horiz",
    ]  # fmt: skip
    called_twice = written_kernel(KERNELS["component_three"])  # `cleared_edges`, of another file
    names = sorted(piece.name for piece in called_twice.values())
    assert names == ["cleared_edges", "component_three", "vertical_integral", "weighted_gradient"]


def test_a_file_counts_its_imports_too() -> None:
    file = FOLDER / "gradient.py"
    imports = 3  # annotations, the words of the language, the grid
    assert sum(each.counts.lines for each in written_files([file]).values()) == 3 + imports


def test_every_original_has_kernels_of_ours_and_no_kernel_counts_twice() -> None:
    names = [name for each in ORIGINALS for name in each.kernels]
    assert set(names) <= set(KERNELS)
    assert len(names) == len(set(names))
    assert [each.lines for each in ORIGINALS] == [
        75, 54, 206, 59, 186, 250, 230, 287, 138, 138,
    ]  # fmt: skip
