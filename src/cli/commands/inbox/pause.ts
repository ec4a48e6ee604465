import { type Command, InvalidArgumentError } from 'commander'
import { isSubject } from '../../../events/subject.ts'
import { addInboxCommand } from '../../open-inbox.ts'
import { print } from '../../output.ts'

export function addPause(inbox: Command): void {
  addInboxCommand(inbox, 'pause', {
    description:
      'Let no handler begin, in any process of the application, within a second. Running handlers end, and notifications are stored. Until it is resumed, also after a restart.',
    examples: ['payhook inbox pause sqlite:inbox.db --reason "bad deploy"'],
    async run(opened, { reason }: { reason: string }) {
      await opened.pause(reason)
      const { paused } = await opened.health()
      print({ paused }, () => `paused since ${paused?.since.toISOString()}: ${paused?.reason}`)
    },
  }).requiredOption('--reason <text>', 'why: health and the console say it', toReason)
  addInboxCommand(inbox, 'resume', {
    description: 'End a pause, so that handlers begin again.',
    examples: ['payhook inbox resume sqlite:inbox.db'],
    async run(opened) {
      const wasPaused = (await opened.health()).paused !== null
      await opened.resume()
      print({ wasPaused }, () => (wasPaused ? 'resumed' : 'It was not paused.'))
    },
  })
}

function toReason(text: string): string {
  if (isSubject(text) && text.trim() !== '') return text
  throw new InvalidArgumentError('It must have 1 to 200 characters, not only spaces.')
}
