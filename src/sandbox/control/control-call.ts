import type { ControlOperations } from './control-json.ts'

export type ControlName = keyof ControlOperations

export type ControlResponse<Name extends ControlName> = ControlOperations[Name]['response']

export interface ControlCall {
  readonly id?: string
  readonly query?: Readonly<Record<string, string>> | URLSearchParams
  /** JSON text, so that no digit of a number is lost. */
  readonly body?: string
}

export function toControlRequest(name: ControlName, { id = '', query = {} }: ControlCall) {
  const [method = '', path = ''] = name.split(' ')
  const search = String(new URLSearchParams(query))
  return { method, path: path.replace(':id', encodeURIComponent(id)) + (search && `?${search}`) }
}
