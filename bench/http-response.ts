const HEAD_END = Buffer.from('\r\n\r\n')
const CONTENT_LENGTH = /\r\ncontent-length: (\d+)\r\n/i

/** Status of an answer, from the bytes of its first line. */
export function statusOf(response: Buffer): number {
  return Number(response.toString('latin1', 9, 12))
}

/**
 * Length of the whole answer, head and body.
 *
 * @returns `undefined` while the head has not come whole
 */
export function toWholeLength(response: Buffer): number | undefined {
  const end = response.indexOf(HEAD_END)
  if (end === -1) return undefined
  const headLength = end + HEAD_END.length
  const declared = CONTENT_LENGTH.exec(response.toString('latin1', 0, headLength))
  if (declared === null) throw new Error('an answer without Content-Length cannot be measured')
  return headLength + Number(declared[1])
}
