const HEAD_END = Buffer.from('\r\n\r\n')
const CONTENT_LENGTH = /\r\ncontent-length: (\d+)\r\n/i

/** The status in the first line of a response. */
export function statusOf(response: Buffer): number {
  return Number(response.toString('latin1', 9, 12))
}

/**
 * The length of a response, head and body.
 *
 * @returns `undefined` if the head is not complete yet
 */
export function toWholeLength(response: Buffer): number | undefined {
  const end = response.indexOf(HEAD_END)
  if (end === -1) return undefined
  const headLength = end + HEAD_END.length
  const declared = CONTENT_LENGTH.exec(response.toString('latin1', 0, headLength))
  if (declared === null) throw new Error('A response without Content-Length cannot be measured.')
  return headLength + Number(declared[1])
}
