import type { CheckOptions } from '../../testing/check/check-options.ts'
import type { CheckReport, CheckResult } from '../../testing/check/check-report.ts'
import { prepareCheck } from '../../testing/check/prepare-check.ts'
import type { SandboxCore } from '../delivery/dispatcher.ts'
import { notFound } from '../http-error.ts'
import { BoundedMap } from '../state/bounded-map.ts'
import type { CheckJson } from './control-json.ts'
import type { Operations } from './operations.ts'

const MAX_KEPT = 20

interface Check {
  readonly total: number
  readonly results: CheckResult[]
  state: CheckJson['state']
  report?: CheckReport
  readonly controller: AbortController
}

export function checkOperations({ options, dispatcher }: SandboxCore) {
  const checks = new BoundedMap<string, Check>(MAX_KEPT)
  let count = 0
  const find = (id: string) => {
    const found = checks.get(id)
    if (!found) throw notFound(`There is no check ${id}`)
    return found
  }

  return {
    'POST checks': {
      fields: ['url', 'clientId', 'kinds', 'only', 'timeoutMs', 'allowRemote'],
      async run({ fields, isBegun }) {
        const { clientId = options.clientId } = fields
        const controller = new AbortController()
        const results: CheckResult[] = []
        const checkOptions = {
          ...(fields as Partial<CheckOptions>),
          clientId,
          // That of another application is not known here.
          clientSecret: clientId === options.clientId ? options.clientSecret : undefined,
          onResult: (result: CheckResult) => void results.push(result),
          signal: controller.signal,
        }
        const { total, run } = await prepareCheck(checkOptions as CheckOptions)
        const check: Check = { total, results, state: 'running', controller }
        const id = String(++count)
        checks.set(id, check)
        const forget = dispatcher.closing.add(() => controller.abort())
        const settled = run()
          .then((report) => {
            check.report = report
          })
          .finally(() => {
            check.state = check.report && !controller.signal.aborted ? 'done' : 'stopped'
            forget()
          })
        if (isBegun) settled.catch(() => {})
        else await settled
        return toJson(id, check)
      },
    },
    'GET checks/:id': { run: ({ id }) => toJson(id, find(id)) },
    'DELETE checks/:id': {
      run({ id }) {
        find(id).controller.abort()
        return {}
      },
    },
  } satisfies Partial<Operations>
}

function toJson(id: string, { state, total, results, report }: Check): CheckJson {
  return { id, state, total, results, ...report }
}
