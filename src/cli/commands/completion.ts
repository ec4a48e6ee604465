import { Argument, type Command } from 'commander'
import { EVENT_KINDS } from '../../events/kinds.ts'
import { withChoices } from '../option-values.ts'
import { printText } from '../output.ts'

/** For each shell, a script that asks `payhook __complete` for the possible next words. */
const SCRIPTS = {
  bash: `_payhook() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(payhook __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _payhook payhook`,
  zsh: `#compdef payhook
_payhook() {
  local -a words_found
  words_found=("\${(@f)$(payhook __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$words_found" ]]; then compadd -- $words_found; else _files; fi
}
compdef _payhook payhook`,
  fish: `complete -c payhook -a '(payhook __complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'`,
  powershell: `Register-ArgumentCompleter -Native -CommandName payhook -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
  if ($wordToComplete -eq '') { $words += '""' }
  payhook __complete -- @words 2>$null | Where-Object { $_ -like "$wordToComplete*" } |
    ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }
}`,
}

export function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('Print a script that makes a shell complete commands and options')
    .addArgument(withChoices(new Argument('<shell>'), Object.keys(SCRIPTS)))
    .addHelpText(
      'after',
      `
Examples:
  source <(payhook completion bash)                              # in ~/.bashrc
  source <(payhook completion zsh)                               # in ~/.zshrc, after compinit
  payhook completion fish > ~/.config/fish/completions/payhook.fish
  payhook completion powershell | Out-String | Invoke-Expression # in $PROFILE`,
    )
    .action((shell: keyof typeof SCRIPTS) => printText(SCRIPTS[shell]))
  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .action((words: string[]) => {
      for (const word of complete(program, words)) printText(word)
    })
}

function complete(program: Command, words: readonly string[]): string[] {
  let command = program
  for (const word of words.slice(0, -1))
    command = command.commands.find((each) => each.name() === word) ?? command
  const current = words.at(-1) ?? ''
  return candidates(command, words.at(-2), current).filter((word) => word.startsWith(current))
}

function candidates(command: Command, before: string | undefined, current: string): readonly string[] {
  const help = command.createHelp()
  const awaiting = command.options.find((option) => option.long === before && !option.isBoolean())
  if (awaiting?.long === '--kind') return EVENT_KINDS
  // If the value may be anything, the shell offers files.
  if (awaiting !== undefined) return awaiting.argChoices ?? []
  if (current.startsWith('-')) return help.visibleOptions(command).flatMap(({ long }) => long ?? [])
  const values = command.registeredArguments.flatMap((argument): readonly string[] =>
    ['kind', 'source'].includes(argument.name()) ? EVENT_KINDS : (argument.argChoices ?? []),
  )
  return [...help.visibleCommands(command).map((each) => each.name()), ...values]
}
