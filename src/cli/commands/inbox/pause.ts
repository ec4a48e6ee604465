import { type Command, InvalidArgumentError } from 'commander'
import { isSubject } from '../../../events/subject.ts'
import { addInboxCommand, withInbox } from '../../open-inbox.ts'
import { print } from '../../output.ts'

/** Adds `inbox pause` and `inbox resume`. */
export function addPause(inbox: Command): void {
  addInboxCommand(inbox, 'pause', {
    description:
      'Let no handler begin, in any process of the application, within a second. Running handlers end, and notifications are stored. Until it is resumed, also after a restart.',
    examples: [
      'payhook inbox pause sqlite:inbox.db --reason "bad deploy"',
      'payhook inbox pause env:DATABASE_URL --reason "the service is down, INC-4711" --json',
    ],
  })
    .requiredOption('--reason <text>', 'why: health and the console say it', toReason)
    .action(async (url: string, { reason }: { reason: string }) => {
      const paused = await withInbox(url, async (opened) => {
        await opened.pause(reason)
        return (await opened.health()).paused
      })
      print({ paused }, () => `paused since ${paused?.since.toISOString()}: ${paused?.reason}`)
    })
  addInboxCommand(inbox, 'resume', {
    description: 'End a pause, so that handlers begin again.',
    examples: ['payhook inbox resume sqlite:inbox.db', 'payhook inbox resume env:REDIS_URL --json'],
  }).action(async (url: string) => {
    const wasPaused = await withInbox(url, async (opened) => {
      const { paused } = await opened.health()
      await opened.resume()
      return paused !== null
    })
    print({ wasPaused }, () => (wasPaused ? 'resumed' : 'It was not paused.'))
  })
}

function toReason(text: string): string {
  if (isSubject(text)) return text
  throw new InvalidArgumentError('It must have 1 to 200 characters.')
}
