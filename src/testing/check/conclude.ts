import type { SentCase } from './check-run.ts'
import type { Exchange } from './exchange.ts'
import { isAccepted, toWords } from './judge.ts'

/** What all responses together say, where the single results would only repeat it. */
export function conclude(sent: readonly SentCase[]): string[] {
  const responses = (wanted: 'accepted' | 'rejected') =>
    sent.flatMap(({ planned, exchanges }) =>
      exchanges.filter((_, index) => planned[index]?.expected === wanted),
    )
  const [first] = sent[0]?.exchanges ?? []
  if (first === undefined) return []
  if (first.status === undefined) return [withoutResponse(first)]
  const genuine = responses('accepted')
  if (!genuine.some(({ status }) => isAccepted(status))) return [nothingAccepted(first)]
  const forged = responses('rejected')
  if (forged.length > 1 && forged.every(({ status }) => isAccepted(status)))
    return [
      'The receiver accepts everything: it does not verify the signature, or it responds before it does.',
    ]
  return []
}

function withoutResponse(exchange: Exchange): string {
  return exchange.failure === 'unreachable'
    ? `There is no connection to the receiver: ${exchange.message}. Start it, or check the URL.`
    : `The receiver does not respond: ${toWords(exchange)}. Look into its log.`
}

function nothingAccepted(exchange: Exchange): string {
  const { status = 0 } = exchange
  const why =
    status === 401 || status === 403
      ? 'Does it verify with the client id that is used here? Does it verify the raw bytes? Does the URL need a token?'
      : status === 404 || status === 405
        ? 'Is the path of the URL right?'
        : status < 400
          ? 'Redirects are not followed: use the final URL.'
          : 'Look into its log.'
  return `The receiver accepts nothing. The first response was ${toWords(exchange)}. ${why}`
}
