import { notFound } from '../http-error.ts'
import type { ResourceKind } from '../state/resources.ts'
import type { SandboxState } from '../state/sandbox-state.ts'
import type { NotifyOptions, StatusSequence, WalkOptions } from '../state/status-sequence.ts'
import type { ControlOperations } from './control-json.ts'
import { sendDeliveries } from './delivery-operations.ts'
import type { Call, Operation, Operations } from './operations.ts'

export function resourceOperations<Kind extends ResourceKind>(
  kind: Kind,
  { resources, deliveries }: SandboxState,
  create: (data: never) => StatusSequence<string>,
) {
  const find = (id: string): StatusSequence<string> => {
    const found = resources.find(kind, id)
    if (!found) throw notFound(`There is no ${kind.slice(0, -1)} ${id}`)
    const { sequence } = found
    if (!sequence) throw notFound(`This was only triggered; make one whose status changes with POST ${kind}`)
    return sequence
  }

  const setStatus: Operation<ControlOperations['POST payments/:id/status']> = {
    fields: ['status', 'changes', 'inline', 'faults'],
    run: async (call) => {
      const sequence = find(call.id)
      const { status, changes, ...options } = call.fields
      return await sendDeliveries(call, deliveries, () =>
        sequence.setStatus(status as string, changes as never, options as NotifyOptions),
      )
    },
  }
  const walk: Operation<ControlOperations['POST payments/:id/walk']> = {
    fields: ['statuses', 'intervalMs', 'wait', 'inline', 'faults'],
    run: async (call) => {
      const sequence = find(call.id)
      const { statuses, ...options } = call.fields
      return await sendDeliveries(call, deliveries, () =>
        sequence.walk(statuses as string[] | undefined, options as WalkOptions),
      )
    },
  }
  return {
    [`POST ${kind}`]: {
      fields: ['data'],
      run({ fields: { data = {} } }: Call) {
        const { id } = create(data as never)
        const json = resources.find(kind, id)?.json
        return new Response(`{"id":${JSON.stringify(id)},"data":${json}}`, {
          headers: { 'content-type': 'application/json' },
        })
      },
    },
    [`POST ${kind}/:id/status`]: setStatus,
    [`POST ${kind}/:id/walk`]: walk,
  } as unknown as Pick<Operations, Extract<keyof Operations, `${string} ${Kind}${'' | `/${string}`}`>>
}
