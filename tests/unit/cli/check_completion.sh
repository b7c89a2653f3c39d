#!/usr/bin/env bash
# check_completion.sh COMPLETION: what bash offers on a command line. Words are those into which bash splits the line.
set -euo pipefail
# shellcheck source=packaging/completion/zklock
source "$1"

wrong=0
# offers 'WHAT' WORD...: what is offered for the last word.
offers() {
  local expected=$1 offered current=${*: -1}
  shift
  COMP_WORDS=(zklock "$@") COMP_CWORD=$#
  if [[ $current == '=' ]]; then current=; fi # as bash passes it
  _zklock zklock "$current" "${COMP_WORDS[COMP_CWORD - 1]}"
  offered="${COMPREPLY[*]-}"
  if [[ $offered != "$expected" ]]; then
    echo "zklock $*: offers '$offered', not '$expected'"
    wrong=1
  fi
}

offers 'run' ru
offers '--label' run --lab
offers 'native curator' run --layout ''
offers 'curator' run --layout c
offers 'native curator' run --layout =
offers 'curator' run --layout = c
offers 'open creator' run --acl =
offers '' run --timeout =
offers '--json' ls --j
offers '--long' ls --l
offers '--json' doctor --j
offers '--json' watch --j
offers 'watch' wa
offers 'doctor' do
offers '--yes' evict --y
offers '--observe' elect --o
offers '--latch' elect --l
offers 'open creator' elect --acl =
offers '' elect --data =
offers 'run' --connect run ru
offers 'run' --connect = run ru
offers '--json' --connect run ls --j
offers '--label' --auth-file ls run --lab
exit "$wrong"
