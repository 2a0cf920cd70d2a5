# SPDX-License-Identifier: Apache-2.0
"""Values of variables in scripts: those of bash, or open."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from thalweg.config.run_script import read_run_script
from thalweg.shell.unresolved import has_unresolved

END = "\ncat > NAMELIST << EOF\n&a\n v = '<$v>'\n/\nEOF\n"

# Each leaves a value in v, and nothing about it is unknown.
KNOWN = [
    # arithmetic
    "a=010; v=$((a + 1))",
    "a=7/2; v=$((a * 2))",
    "v=$((2#101 + 16#ff + 0x1F + 10#08))",
    "v=$((-2 ** 2))",
    "v=$((5 > 3 ? 10 : 20))",
    "v=$((1 || 0 && !1))",
    "v=$((6 & 3 | 8 ^ 1))",
    "a=5; v=$((a++ + 1))$a",
    "a=5; v=$((++a))$a",
    "a=-3; v=$((5-$a))",
    "a=5; : $((a += 2)); v=$a",
    "a=(3 4 5); i=2; v=$((a[i] * 2))",
    "a=1; (( b = a ? 7 : 8, a = b )); v=$a",
    "v=3; (( v <<= 2 ))",
    "v=1; let 'v += 2' v++",
    "i=0; n[i++]=x; n[i++]=y; v=${n[1]}$i",
    "a=0; v=1; (( a = 0 )) || v=2",
    "v=1; let a=0 && v=2",
    "v=$[ (1 + 2) * 3 ]",
    "v=$((3 > 2 > 1))",
    # words
    "l=a,b; IFS=,; for n in $l; do v+=$n-; done",
    "d=2000-05-01; IFS=-; set -- $d; v=$2$1",
    "f() { v=$#$1; }; IFS=:; f ${x:-a:b}",
    "s='1,2,3'; a=(${s//,/ }); v=${#a[@]}${a[1]}",
    "f() { for i in \"${@:2}\"; do v+=$i,; done; }; f x 'a b' c",
    "a=(1 2 3); v=${a[@]:1:2}",
    "f() { v=$#; }; f {1..3} x{a,{b,c}}",
    "f() { v=$#$*; }; g() { f $@; }; g a 'b c'",
    "v=$'a\\x41\\102\\t'\"b\"",
    'v=$"abc"',
    "a=0; a=1 b=$a; v=$b",
    "x=9; f() { local x=$1 y=$x; v=$y; }; f 3",
    "a=({1..5}); v=${#a[@]}${a[-1]}",
    "declare -A m=([x]=1 [y]=2); m[z]=3; k=y; v=${m[$k]}${m[z]}${#m[@]}",
    "n=(a b); n+=(c); v=${!n[@]}${n[*]}",
    "f() { local -n r=$1; r=5; }; v=1; f v",
    'n=v; declare "$n=3"',
    "n=v; export $n=4",
    'kv=v=7; export "$kv"',
    "n=v; printf -v $n %03d 7",
    "n=v; read $n <<< new",
    "declare -i v=1; v+=2; v=v*4",
    "declare -u v; v=abc",
    "readonly v=1; v=2",
    "v=1; builtin export v=2",
    "v=1; \\export v=2",
    "x='export v=5'; $x",
    "f() { set $1; v=$2; }; f 'a b'",
    "f() { shift 5; v=$1; }; f a b",
    "unset x; v=${x-d}${x:-e}",
    "f() { local x; v=${x-unset}; }; f",
    # patterns and replacements
    "x='a*b'; v=${x#'a*'}",
    "x=a/b/c; v=${x//\\//_}${x////-}",
    "x=abc; v=${x/b*/Z}${x/#a/p}${x/%/s}",
    "x=a1b22; v=${x//[^0-9]/}${x//[[:digit:]]/#}",
    "x=abcdef; v=${x: -2}${x:1:-1}${x:$((1 + 1)):2}",
    "x=abc; v=${x^}${x^^}${x:010:1}",
    "r=x; x=5; v=${!r}",
    "shopt -s extglob; x=000120; v=${x##+(0)}",
    "shopt -s extglob\nx=ab; case $x in @(cd|a?)) v=1;; *) v=2;; esac",
    "shopt -s nocasematch; [[ AB == ab ]] && v=1",
    "x=abc; case $x in a\\*) v=1;; a*) v=2;; esac",
    "v=${u:-a\\}b}",
    # conditions
    "[[ 010 -eq 8 ]] && v=1 || v=2",
    "[ 010 -eq 10 ] && v=1 || v=2",
    "[[ ! ( a == b ) ]] && v=1",
    "[[ (1 == 2 || 3 == 3) && 4 == 4 ]] && v=1",
    "[ a = a -a b = c -o d = d ] && v=1",
    "[ ! \\( a = b -o c = d \\) ] && v=1",
    "[[ 2000-01-01 < 2000-02-01 ]] && v=1",
    "x=2d_x; [[ $x =~ ^[0-9]d ]] && v=1",
    "x=; [ $x ] && v=1 || v=2",
    "[[ 'a||b' == 'a||b' ]] && v=1",
    "f() { return 1; }; f && v=1 || v=2",
    "f() { [[ $1 == a ]]; }; if f a; then v=1; fi",
    # loops
    "v=0; while [ $v -lt 5 ]; do v=$((v + 1)); done",
    "v=0; until (( v >= 3 )); do ((v++)); done",
    "for ((i = 0; i < 3; i++)); do :; done; v=$i",
    "n=2; for ((i = 0; i < n; i++)); do n=1; v+=$i; done",
    "i=1; v=old; while [ $i -le 3 ]; do if [ $i -eq 2 ]; then v=x; fi; i=$((i + 1)); done",
    "f() { while [ $# -gt 0 ]; do case $1 in -n) v=$2; shift;; esac; shift; done; }; f -n 5 -m 6",
    "while read a b; do v+=$b$a; done << E\n1 2\n3 4 5\nE\n",
    "while IFS=, read -r a b; do v+=$b; done <<< a,b,c",
    "v=0; while true; do ((v++)); [ $v = 4 ] && break; done",
    "for i in 1 2 3; do [ $i = 2 ] && continue; v+=$i; done",
    # ways that part and meet, and functions
    "f() { return 3; }; f; v=$?",
    "f() { return 2; }; x=$(f); v=$?",
    "f() { return 3; }; v=0; f; while [ $? -eq 3 ]; do v=${v}x; done",
    "for i in 1 2; do for j in 1 2; do [ $j = 2 ] && continue 2; v+=$i$j,; done; done",
    "g() { echo $n; }\nf() { n=1; for i in $(g); do v=$i; done; n=2; for i in $(g); do v+=$i; done"
    "\n}\nf",
    "g() { echo $((n + 1)); }; n=1; n=$(g) m=$(g); v=$n$m",
    'n=v; f() { declare "$n=3"; }; v=1; f',
    "i=0; j=0; while [ $i -lt 20 ]; do k=0; while [ $k -lt 20 ]; do ((k++, j++)); done; ((i++))"
    "\ndone\nv=$j",
    "{ read a; read b; v=$a$b; } << E\n1\n2\nE\n",
    "printf '1\\n2\\n' > t; while read a; do v+=$a; done < <(cat t)",
    "mapfile -t a <<< $'x\\ny'; v=${a[1]}",
    "IFS=: read -ra a <<< 'p:q'; v=${a[1]}",
    "for i in $(echo 'a,b' | sed 's/,/ /g'); do v+=$i-; done",
    "x='a b'; set -- $x\"c\"; v=$#$2",
    "f() { v=$#$2; }; g() { f \"-x $@\"; }; g a 'b c'",
    "f() { iv=${1-PT9H}; v=$iv; }; f",
    "[[ ab12 =~ ([a-z]+)([0-9]+) ]] && v=${BASH_REMATCH[2]}",
    "v=0; while getopts a: o; do v=$OPTARG; done; v=x$v",
    "shopt -s expand_aliases\nalias f='v=2'\nf",
    "f() { false; return; }; g() { f || return; v=in; }; v=out; g",
    "f() { shift $(($# - 1)); v=$1$#; }; f a b c",
    "f() { while getopts n: o; do :; done; shift $((OPTIND - 1)); v=$#x; }; f",
    "a=(zt_2m ztemp); v=$(printf '%s,' \"${a[@]#z}\")",
    "q() { printf '%s,' \"${@/#/x}\"; }; v=$(q temp pres)",
    "d=2023061500; v=$(echo $d | cut -c5-6)$(echo a:b | cut -d: -f2)$(echo a b | awk '{print $2}')",
    # what commands print
    "v=$(echo 'a  b')",
    "x='a  b'; v=$(echo \"$x\")$(echo $x)",
    "v=$(expr 3 + 4 \\* 2)$(expr 3+4)",
    "v=$(printf '%03d_%s-' 7 x 8 y)",
    "f() { echo $(($1 * 2)); }; v=$(f 4)`f 5`",
    "v=$([ 1 = 2 ] && echo y || echo n)",
    "l=$(seq -w 8 10); for i in $l; do v+=$i; done",
    'v=$(echo a,b,c | sed "s/,/\' /g" | tr -d "\'")',
    "v=$(echo abc | tr a-c A-C)",
    'q() { local IFS=,; echo "$*"; }; v=$(q a b c)',
    "f() { cat << E\nx$1\nE\n}; v=$(f 2)",
    "v=`echo \\`echo a\\``",
    # files
    "echo 'v=7' > c.sh; . ./c.sh",
    "printf 'v=%s\\n' 8 > c.sh; source c.sh",
    "echo v=@X@ | sed s/@X@/9/ > c.sh; . ./c.sh",
    "export X=3; Y=4; echo 'v=$Y${X}' | envsubst > c.sh; . ./c.sh",
    'q() { arr=( "$@" ); echo "${arr[*]}"; }; v=$(q ${L[1]:-a}); L=(x y); v=$(q ${L[1]:-a})',
    'set -- x y; v="${*/%/,}"',
    'set -- x y; v="${@/%/,}"',
    'set -- x y; v="p${*/%/,}q"',
    'set -- xa ya; v="${*%a}"',
    'set -- xa ya; f() { v=$#$1; }; f "p${@%a}q"',
    'a=(x y); v="p${a[*]/%/,}q"',
    'declare -A L=([a]="x y z"); L[a]=${L[a]/y /}; v=${L[a]}',
    'declare -A L=([a]="x"); v=${L[b]:-d}${L[a]:-e}${L[b]-f}${L[a]+g}${#L[a]}',
    "a=(p qq r); i=1; v=${a[i]}${a[$i+1]}${a[-1]}${a[9]:-z}${#a[1]}${a[1]%q}${a[1]:1}${a[1]^^}",
    'a=(); f() { v=$#; }; f "${a[@]}"; f ${a[@]+"${a[@]}"}',
    'a=(x "y z"); f() { v=$#$2; }; f ${a[@]+"${a[@]}"}',
    'a=(x "y z"); f() { v=$#$2; }; f "${a[@]+"${a[@]}"}"',
    'a=(); f() { v=$#$1; }; f "${a[@]:-d}"',
    'a=(q r); f() { v=$#$1; }; f "${a[@]:-d}"',
    'f() { v=$#$1; }; f "${@:-d e}"',
    'f() { v="${@:-d e}"; }; f',
    'f() { v="${*:-d}"; }; f a b',
    "x=5; v=${x[0]}${x[@]}${#x[@]}${x[*]}",
    "x=5; x+=(6); v=${x[*]}",
    "a=(1 2); a[2]=3; v=${a[*]}",
    "declare -A m; m[k]=1; m[k]+=2; v=${m[k]}",
    "declare -A m=([k]=1); : ${m[j]:=5}; v=${m[j]}${#m[@]}",
    "b=(2 0); a=(x y z); v=${a[${b[0]}]}",
    'declare -A m=([a.b]=1 ["c d"]=2); v=${m[a.b]}${m["c d"]}',
    'a=(x.nc y.nc); v="${a[@]%.nc}"',
    'a=(x y); v="${a[*]^}"',
    'a=(x y z); v="${a[@]:1}"',
    'a=(x y z); v="${a[@]: -1}"',
    "x=abc; v=${x: -2:1}${x:1:-1}",
    "n=x; x=7; v=${!n}",
    "n=a[1]; a=(3 4); v=${a[1]}",
    'IFS=,; a=(1 2); v="${a[*]}"',
    "set -- a b c; v=${@:2}",
    'set -- a b c; v="${*:2:1}"',
    "x='{a}'; v=\"${x#{}\"",
    'x=\'{a}\'; v="${x#{}"; v="${v%\\}}"',
    'x=temp; [[ " temp pres " =~ " $x " ]] && v=1 || v=2',
    'x=20100101T00; if [[ "$x" =~ ^([0-9]{4})([0-9]{2}) ]]; '
    "then v=${BASH_REMATCH[1]}-${BASH_REMATCH[2]}; fi",
    "x=a.b; [[ $x =~ a\\.b ]] && v=1 || v=2",
    "x=aXb; [[ $x =~ a\\.b ]] && v=1 || v=2",
    'x=aXb; [[ $x =~ "a.b" ]] && v=1 || v=2',
    'log() { echo "$*"; }; d=$(date +%Y) || exit 1; v=1',
    "set -- a b c; shift 4 || v=no; v=$v$1",
    "f() { a=$1; shift 3 || { v=usage; return 1; }; v=in; }; f a b",
    'f() { local IFS; v="${*%,}"; }; f a, b,',
    "L=$(for x in temp pres; do printf \"%s,\" $x; done | sed 's/,$//'); v=$L",
    "f() { printf '%s ' a; echo b; }; v=$(f | awk '{print $2}')",
    "v=$( { printf 'a:'; echo b:c; } | cut -d: -f1)",
    "v=$( { printf 'a:'; echo b:c; } | tr ':' '-')",
    "v=$(echo a:b:c | cut -f2 -d:)",
    "v=$(echo a:b:c | cut -d: -f1,3)",
    "v=$(echo a:b:c | cut -d: -f2-)",
    "v=$(echo a:b:c | cut -d: -f-2)",
    "v=$(printf 'a\\tb\\n' | cut -f2)",
    "v=$(echo abcdef | cut -c2-3,5)",
    "v=$(echo a | tr aa bc)",
    "shopt -s nocasematch; [[ YES =~ ^yes$ ]] && v=1 || v=2",
    'x=(temp pres u); v="${x[@]:+1}"',
    'x=(); v="${x[@]:-temp}"',
    'p=z; x=(temp pres); v="${x[@]/#/${p}_}"',
    'p=z; x=(temp pres); f() { v=$#$1; }; f "a${x[@]/#/${p}_}b"',
    'f() { v=ok; [ -n "" ] && return 0; v=$v; }; f',
    "f() { return 256; }; f && v=1 || v=2",
    "f() { return -1; }; f && v=1 || v=2",
    'a=([1]=x [3]=y); v="${a[1]}${a[3]}${#a[@]}${!a[*]}"',
    'a=([0]=t_2m [1]=u); v="${a[*]}"',
    'a[1]=x; a[4]=y; v="${a[*]}-${!a[*]}-${a[2]:-none}"',
    "a=(t_2m u v); unset 'a[1]'; v=\"$(printf '%s,' \"${a[@]}\")${#a[@]}\"",
    'a=(x y); a[5]=z; a+=(w); v="${!a[*]}${a[6]}"',
    "declare -A m=([k]=1 [j]=2); unset 'm[k]'; v=\"${m[*]}\"",
    "declare -ri n=1; v=$n",
    "f() { local -ri k=3+4; v=$k; }; f",
    "declare -lr x=ABC; v=$x",
    "declare -A m; if [[ ! -v m[ml] ]]; then v=a; else v=b; fi",
    "declare -A m=([ml]=1); if [[ -v m[ml] ]]; then v=a; else v=b; fi",
    "x=; if [[ -v x ]]; then v=a; else v=b; fi",
    "unset x; if [ -v x ]; then v=a; else v=b; fi",
    'v=$(echo "t_2m u" | sed "s/[a-z0-9_]*/<&>/g")',
    'v=$(echo "abc" | sed "s/x*/-/g")',
    'v=$(echo "baaac" | sed "s/a*/x/g")',
    'v=$(echo "baaac" | sed "s/a*/x/")',
    "v=$(printf '%s\\n' c a b | sort | tr '\\n' ',')",
    "v=$(printf '%s\\n' c a b a | sort -u | paste -sd,)",
    "v=$(printf '%s\\n' 10 9 2 | sort -n | tail -n 1)",
    "v=$(printf '%s\\n' a b c | wc -l)",
    "v=$(printf '%s\\n' a b c | head -1)$(printf '%s\\n' a b c | tail -n +2 | tr -d '\\n')",
    "v=$(printf '%s\\n' a b c d | head -n 2 | paste -s -d ' ' -)",
    "shopt -s lastpipe; n=0; printf '%s\\n' u w | while read -r x; do n=$((n+1)); done; v=n$n",
    "shopt -s lastpipe; echo a b | read x y; v=$y$x",
    "n=0; printf '%s\\n' u w | while read -r x; do n=$((n+1)); done; v=n$n",
    "v=$(printf '%s\\n' b a | sort | while read x; do printf '%s,' $x; done)",
    "v=$(for x in b a; do echo $x; done | sort | while read x; do printf '%s,' $x; done)",
    "set -- a b c; v=${!#}${*: -1}",
    "ok=no; until [ $ok = yes ]; do D=90; true && ok=yes; done; v=$D",
    "v=$(for i in 1 2 3; do echo $i; done | wc -l)",
    "v=$(for i in 1 2 3; do echo $i; done | tail -1)",
    'v=$(echo "x 1" | { read a b; echo $b; })',
    'v=$(echo a | while read x; do echo "[$x]"; done)',
    "v=$((echo a; echo b) | tail -1)",
    "v=$(case x in x) echo a;; esac | tr a b)",
    "v=$(case x in (x) echo a;; esac)",
    "v=0; while read x; do v=1; done < <(grep zz <<< abc)",
    "mapfile -t A < <(printf ''); v=${#A[@]}",
    'v=; A=(a b); unset A; for e in "${A[@]}"; do v+="[$e]"; done',
    'v=; f() { local A; for e in "${A[@]}"; do v+="[$e]"; done; }; f',
    'A=(a); unset A; set -- "${A[@]}"; v=$#',
    "A=(a); unset A; v=${#A[@]}${!A[*]}${A[*]+s}${A[0]+1}${A[1]+1}",
    "declare -A M=([k]=1); unset M; v=x${M[k]+1}${M[k]}",
    'n=5; read a <<< "$((n++))"; v="$a $n"',
    'n=5; while read a; do v=$a; done <<< "$((n+=1))"; v=$v$n',
    "x=abc; v=${x//*/y}",
    "x=; v=${x/*/y}",
    'declare -A M; v="${M[k]/%/.nc}"',
    'unset x; v="${x/#/3}-${x%a}-${#x}"',
    'IFS=,; A=(a b c); v="${A[@]/a/x}"',
    'IFS=,; A=(a b c); v="${A[@]}"',
    "f() { v=$#$1; }; f ${x:-{a,b}}",
    "f() { v=$#$1; }; f x$(echo {a,b})y",
    'f() { v="$*"; }; f a{b,"c d"}e \'{x,y}\' "{p,q}" \\{a,b} {1..3} $(echo a,b)',
    "v=; for x in $(echo a b | awk '{print $1}'); do v=$v$x; done",
    'A=(a b); A[-1]=x; v="${A[*]}"',
    ": > part; [ -f part ] && v=1 || v=2",
    ": > part; [ -s part ] && v=1 || v=2",
    "echo a > part; [[ -s part && -f part ]] && v=1 || v=2",
    "read -r -d '' T <<< \"a b\"; v=$T",
    "T=$'a 1\\nb 2'; v=; while read -r n k; do v=$v$n$k; done <<< \"$T\"",
    "v=$(seq -s , 1 3)",
    "v=$(seq -f 'm%02g' 1 3 | tr '\\n' _)",
    "v=$(seq -w 8 10 | tr '\\n' _)",
    "v=$(seq -s, -w 8 10)",
    'st_a=x; st_b=y; v=; for k in "${!st_@}"; do v=$v$k${!k}; done',
    'x="a b"; v="${x@U}${x@u}${x@L}"',
    "f() { echo abc; }; echo q > F; f | sed s/abc/xyz/ | tee -a F; v=$(cat F | tr '\\n' ,)",
    "echo abc | sed s/a/b/ | tee F; v=$(cat F)",
    "exec 3> F; echo a >&3; printf '%s\\n' b >&3; exec 3>&-; v=$(cat F | tr '\\n' ,)",
    "echo q > F; exec 4>> F; f() { echo \"$1\"; }; f c >&4; v=$(cat F | tr '\\n' ,)",
    "mkdir d; exec 3> F; cd d; echo a >&3; cd ..; v=$(cat F)",
    "echo hid >&2; v=$(echo a >&2; echo b)",
    "printf '%s\\n' x y > st; printf '%s\\n' a @S@ b > tm; "
    "v=$(sed -e '/@S@/r st' -e '/@S@/d' tm | tr '\\n' ,)",
    "printf '%s\\n' x y > st; printf '%s\\n' a @S@ b > tm; v=$(sed '/@S@/r st' tm | tr '\\n' ,)",
    "A=(a b ab); A[-1]+=; A[-1]+=c; v=${A[*]}",
    'IFS=; A=(a,b "" k=v); v="${A[@]/a/}"',
    'set --; A=("${*:+x}"); v=${#A[@]}',
    'set --; A=("${@:+x}"); v=${#A[@]}',
    "v=$(seq -s ' ' -f \"grid_%02g\" 1 3)",
    "shopt -s lastpipe; arr=(x); printf '%s\\n' a b c | readarray -t arr; v=${#arr[@]}",
    "exec 4> F; exec 3>&4; echo hello >&3; v=$(cat F)",
    "a=(1 2 3); unset 'a[0]'; v=${a-none}${a:-x}",
    "f() { :; }; x=1 | cat; v=1",
    "a=(p q); v=${a}${a%p}${#a}",
    # channels
    "f() { echo a >&2; echo b; }; v=$(f 2>&1 | tr '\\n' ,)",
    "v=$( { echo a >&2; echo b; } 2>&1 | tr '\\n' ,)",
    "v=$( { echo a >&2; echo b; } |& tr '\\n' ,)",
    "f() { echo a >&2; echo b; }; v=$(f 2>&1 > /dev/null)",
    "f() { echo a >&2; echo b; }; v=$(f 2> /dev/null)",
    "f() { echo a > /dev/stderr; }; g() { f; echo c; }; v=$(g 2>&1 | tr '\\n' ,)",
    "f() { echo a >&2; echo b; }; g() { f 2> /dev/null; echo c; }; v=$(g 2>&1 | tr '\\n' ,)",
    "f() { echo a >&2; echo b; }; f > F 2>&1; v=$(tr '\\n' , < F)",
    "f() { echo a >&2; echo b; }; f &> F; v=$(tr '\\n' , < F)",
    "v=$( { echo a > /dev/stdout; echo b; } | tr '\\n' ,)",
    # lines of <(...)
    "mapfile -t a < <(echo); v=${#a[@]}",
    "mapfile -t a < <(echo x; echo; echo); v=${#a[@]}",
    "mapfile -t a < <(expr 1 + 2); v=${#a[@]}$a",
    "mapfile -t a < <(printf 'x\\ny'); v=${#a[@]}${a[1]}",
    "n=0; while read x; do n=$((n + 1)); done < <(echo a; echo; echo); v=$n",
    "while read x || [ -n \"$x\" ]; do v=$x; done < <(printf 'a\\nb')",
]

# What these leave in v is not known.
OPEN = [
    "f() { echo a >&2; echo b; }; v=$(f 3>&1 1>&2 2>&3)",
    "set -x; f() { echo b; }; v=$(f 2>&1)",
    "v=$(exec 2>&1; echo a >&2; echo b)",
    "while read x; do v=$x; done < <(printf 'a\\nb')",
    "v=$(printf 'a\\nb' | while read x; do echo $x; done)",
    'h() { [ "$OUTER" = 1 ]; }; f() { h || return 1; v=in; }; v=out; f',
    'h() { [ "$OUTER" = 1 ]; }; for i in 1 2; do v=$i; h || break; done',
    "v=a; for i in 1 2; do if ! grep -q $i nowhere; then continue; fi; v=$v$i; done",
    "set -- -n 5 x; while getopts n: o; do :; done; shift $((OPTIND - 1)); v=$1",
    "while read a; do read b; v+=$b; done << E\n1\n2\n3\n4\nE\n",
    'for i in a b; do [ "$OUTER" = 1 ] && break; for j in 1; do :; done; done; v=$i',
    "n=0; for f in a b c; do n=$((n + 1)); test -f x$f || continue; break; done; v=$n",
    "v=0; i=0; while [ ! -f stop ]; do v=$i; ((i++)); done",
    "a=(0); while [ ! -f stop ]; do v=${a[0]}; ((a[0]++)); done",
    "n=1; k=0; while [ $n -lt 5 ]; do while [ -f lock ]; do n=$(date +%s); done; ((k++, n++)); done"
    "\nv=$k",
    "if [ -f q ]; then f() { v=2; }; fi; v=1; f",
    "if [ -f q ]; then typeset -u v; fi; v=abc",
    "set -- a b; [ -f q ] && shift; v=$#",
    "set -- a $OUTER; v=$#",
    "echo 1 > n; date +%Y > n; v=$(cat n)",
    "echo v=1 > c.sh; awk 'BEGIN { print 2 }' > c.sh; v=1; v=$(cat c.sh)",
    "echo 1 > n; [ -f q ] && rm n; v=$(cat n)",
    "v=$(echo ab | sed 's/.*/\\U&/')",
    'f() { [ "$OUTER" = 1 ] && local v=2; v=3; }; v=1; f',
    "v=1; [ -f nowhere ] && v=2",
    "v=1; cp a b || v=2",
    'v=1; if [ -n "$FROM_OUTSIDE" ]; then v=2; fi',
    "v=1; for i in $(ls); do v=$i; done",
    "i=5; for i in $(ls); do :; done; v=$i",
    "v=$(date +%Y)",
    "f() { [ -f nowhere ] && return; v=2; }; v=1; f",
    "v=1; while read l; do v=$l; done < nowhere",
    "v=1; case $FROM_OUTSIDE in a) v=2;; esac",
    "v=$(($FROM_OUTSIDE + 1))",
    "v=$((08 + 1))",
    "v=$((1.5 * 2))",
    "v=~/x",
    "x=@(a|b); v=${x#@(a|b)}",
    "f() { echo $RANDOM; }; v=$(f)",
    "v=1; x=$(grep a b) || v=2",
    "for i in 1 2 3; do v=$i; [ -f nowhere ] && break; done",
    "v=$(echo *.none)",
    "v=1; (( FROM_OUTSIDE++ )) && v=2",
    "ck() { [ -f restart.nc ]; rc=$?; return $rc; }; if ck; then v=PT1H; else v=PT6H; fi",
    "set -- a b c; v=a; k=1; while [ ! -f stop ]; do v=$1; shift $OUTER; k=$((k+1)); "
    "[ $k -gt 2 ] && touch stop; done",
    "d() { command -v nvidia-smi >/dev/null 2>&1 || return; v=1; }; v=6; d",
    "d() { LC_ALL=C grep -q a q || return; v=1; }; v=6; d",
    "d() { command grep -q a q || return; v=1; }; v=6; d",
    "d() { /usr/bin/test -f q || return; v=1; }; v=6; d",
    "d() { x=$(grep a q) || return; v=1; }; v=6; d",
    "r=true; d() { if ! $RESTART; then return; fi; v=1; }; v=6; d",
    "f() { v=cold; [ -f q ] && cp q z || return; v=warm; }; f",
    "f() { v=a; if ! srun ./icon || [ -f q ]; then return; fi; v=b; }; f",
    "mkdir sub; echo 1 > t; echo 2 > sub/t; f() { if [ -f q ]; then cd sub; "
    "return 0; fi; }; f; v=$(cat t)",
    "g() { v=1; }; for i in 1; do if [ -f q ]; then g() { v=2; }; break; fi; done; g",
    "[[ R02B04 =~ (R|R02) ]]; v=${BASH_REMATCH[1]}",
    "declare -A L=([a]=1); L[$FROM]=2; v=${L[a]}",
    "declare -A L=([a]=1); v=${L[$FROM]}",
    "f() { v=1; { [ -f q ] ; } || return 1; v=2; }; f",
    "ok() { [ -f q ] || return 1; srun x; }; f() { v=1; ok || return; v=2; }; f",
    'x=; [ -f q ] && x=1; v="${x:+set}"',
    "set -- a; [ -f q ] && shift; v=${1+set}",
    'declare -A M; [ -f q ] && M[k]=1; [[ -n "${M[k]+x}" ]] && v=yes || v=no',
    'A=(a); [ -f q ] && A+=(b); if [ -n "${A[1]+x}" ]; then v=two; else v=one; fi',
    "v=$(for i in 1 2 3; do echo $i; done | xargs)",
    "v=$(if [ -f q ]; then echo a; else echo b; fi | tail -1)",
    "v=$( (cd . && ls *.nc) | wc -l)",
    "v=$(<f | sed s/a/b/)",
    "A=($(ls | { read x; echo $x; })); v=${A[0]}",
    ": > finish.status; srun ./icon; [ -s finish.status ] && v=1 || v=2",
    'A=(a); [ -f q ] || A+=(x); A+=(); v="${!A[*]}"',
    "cp ../input/foo.nc .; if [ ! -f foo.nc ]; then v=missing; else v=there; fi",
    "ln -sf nothere/grid.nc grid.nc; [ -e grid.nc ] && v=yes || v=no",
    "cp /dev/null log.txt; [ -s log.txt ] && v=full || v=empty",
    "echo k=1 > T; v=$(sed 's/1/2/' T | tee log)",
    "list=$(seq 3); v=$(printf '%s' \"$list\" | tr '\\n' ',')",
    "v=$(echo -n \"a b c\" | tr ' ' '\\n' | tr '\\n' ',')",
    "v=$(printf 'a\\nb' | wc -l)",
    "v=$(seq 3 | tr '\\n' ' ' | wc -l)",
    "v=$(for i in 1 2 3; do printf '%s ' $i; done | wc -l)",
    "printf '2\\n1\\n' > t; sort t -o t; v=$(head -1 t)",
    "v=$( { echo a >&3; } 3>&1 )",
    ": > list; python mk.py list; [ -s list ] && v=1 || v=2",
    "echo a > out.log; find . -name '*.log' -delete; [ -f out.log ] && v=1 || v=2",
]

# With the value behind #.
WORKS = [
    "prep() { cdo a b; }; main() { prep || return 1; v=in; }; v=out; main # in",
    "prep() { mkdir -p d || return 1; cdo a b || { echo bad; return 1; }; return 0; "
    "}; for i in 1 2; do prep || break; v=$i; done # 2",
    "for i in 1 2; do (cd .; srun x) || break; v=$i; done # 2",
    'f() { v=ok; [ -n "$OUTER" ] && return 0; if ! srun ./icon; then v=failed; '
    "return 1; fi; }; f # ok",
    "f() { rundir=$(mktemp -d) || return 1; v=in; }; f # in",
    "ok=no; until [ $ok = yes ]; do v=90; srun ./icon && ok=yes; done # 90",
    "while true; do v=u; srun ./icon; [ $? -eq 0 ] && break; sleep 5; done # u",
    "mk() { local dt=$1; }; dt=90; ok=no; until [ $ok = yes ]; do mk $dt; "
    "srun x && ok=yes; done; v=$dt # 90",
]

needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")


def of_bash(folder: Path, text: str) -> str:
    folder.mkdir()
    (folder / "exp.test").write_text(text + END)
    subprocess.run(
        ["bash", "--norc", "exp.test"], cwd=folder, capture_output=True, timeout=60, check=False,
        stdin=subprocess.DEVNULL, env={"PATH": os.environ["PATH"]},
    )  # fmt: skip
    return (folder / "NAMELIST").read_text().split("'<")[1].split(">'")[0]


def ours(folder: Path, text: str) -> str:
    folder.mkdir()
    (folder / "exp.test").write_text(text + END)
    script = read_run_script(folder / "exp.test", {})
    assert not script.passed_over
    assert not script.doubtful
    [group] = [each for each in script.groups["NAMELIST"] if each.name == "a"]
    return str(group.items["v"].values[0])[1:-1]


@needs_bash
@pytest.mark.parametrize("text", KNOWN)
def test_values_are_those_of_bash(tmp_path: Path, text: str) -> None:
    if "envsubst" in text and shutil.which("envsubst") is None:
        pytest.skip("envsubst is not installed")
    assert ours(tmp_path / "ours", text) == of_bash(tmp_path / "bash", text)


@needs_bash
@pytest.mark.parametrize("text", KNOWN)
def test_values_are_those_of_bash_in_a_function(tmp_path: Path, text: str) -> None:
    if "envsubst" in text and shutil.which("envsubst") is None:
        pytest.skip("envsubst is not installed")
    if "shopt" in text:
        pytest.skip("bash reads a function before its options are on")
    text = f"wrapped() {{\n{text}\n}}\nwrapped"
    found, wanted = ours(tmp_path / "ours", text), of_bash(tmp_path / "bash", text)
    assert found == wanted or (has_unresolved(found) and wanted == "")  # of what was local


@pytest.mark.parametrize("text", OPEN)
def test_what_cannot_be_known_is_open(tmp_path: Path, text: str) -> None:
    assert has_unresolved(ours(tmp_path / "ours", text))


@pytest.mark.parametrize("text", WORKS)
def test_what_does_work_counts_as_done(tmp_path: Path, text: str) -> None:
    assert ours(tmp_path / "ours", text) == text.rpartition("# ")[2]
