import { styleText } from 'node:util'
import { withoutSecrets } from '../client/http/shown-url.ts'
import { toEscape } from '../json/to-escape.ts'

/** The version of the objects that `--json` prints. It changes if a field is removed or changes its meaning. */
const JSON_VERSION = 1

/** A part of a text that has a color on a terminal. */
export interface Painted {
  readonly color: 'none' | 'red' | 'green' | 'yellow' | 'cyan' | 'bold'
  readonly text: string
}

/** Text in parts. Whatever is in it, only its colors control the terminal. */
export type Text = string | Painted | readonly (string | Painted)[]

let isJson = false

export function setJson(json: boolean): void {
  isJson = json
}

export function isJsonOutput(): boolean {
  return isJson
}

/** Prints data: with `--json` as a line of JSON, each element of a list on its own, and else as text. */
export function print<Data extends object>(data: Data, toText: (data: Data) => Text): void {
  if (!isJson) printText(toText(data))
  else for (const each of Array.isArray(data) ? data : [data]) printJson({ version: JSON_VERSION, ...each })
}

export function printJson(data: object): void {
  process.stdout.write(`${toJson(data)}\n`)
}

/** Prints text. With `--json` there is none. */
export function printText(text: Text): void {
  if (!isJson) process.stdout.write(`${render(text, process.stdout)}\n`)
}

/** Writes a hint for the user to stderr. With `--json` there are none. */
export function note(text: Text): void {
  if (!isJson) process.stderr.write(`${render(text, process.stderr)}\n`)
}

/** Writes to stderr what the user should know although the command goes on. */
export function warn(message: string): void {
  if (isJson) noteJson({ warning: message })
  else note(message)
}

export function noteError(code: string, text: string): void {
  const message = text.replace(/\w+:\/\/[^\s'"]+/g, withoutSecrets)
  if (isJson) noteJson({ error: { code, message } })
  else note([paint('red', 'payhook:'), ` ${toOneLine(message).replace(/[^.:?!)]$/, '$&.')}`])
}

function noteJson(data: object): void {
  process.stderr.write(`${toJson({ version: JSON_VERSION, ...data })}\n`)
}

export function paint(color: Painted['color'], text: string): Painted {
  return { color, text }
}

/** The text of a value from outside in a single line. */
export function toOneLine(text: string): string {
  return escapeControls(text.replace(/\s+/g, ' '))
}

/** Colors need a terminal that supports them. `NO_COLOR` and `FORCE_COLOR` are respected. */
export function render(text: Text, stream: NodeJS.WriteStream): string {
  if (typeof text === 'string') return escapeControls(text)
  if (!('text' in text)) return text.map((part) => render(part, stream)).join('')
  const plain = escapeControls(text.text)
  return stream.isTTY && stream.hasColors() ? styleText(text.color, plain, { validateStream: false }) : plain
}

function toJson(data: object): string {
  return escapeControls(JSON.stringify(data))
}

/**
 * Escapes the characters that control a terminal, reorder what it shows or are not shown, as JSON does. All
 * text and all JSON that is printed passes through here, so that a sender's text cannot control the terminal.
 */
function escapeControls(text: string): string {
  return text.replace(/[^\P{Cc}\n]|[\p{Cf}\p{DI}\p{Zl}\p{Zp}]/gu, toEscape)
}
