import { invalid, notFound } from '../http-error.ts'
import { parseConfiguration } from '../service/configuration-body.ts'
import { APPLICATION, USERS } from '../state/accounts.ts'
import type { SandboxState } from '../state/sandbox-state.ts'
import type { Operations } from './operations.ts'

const ACCOUNTS = [APPLICATION, ...USERS].map(({ accountId }) => accountId)

export function configurationOperations({ configurations }: SandboxState) {
  return {
    'GET configurations': { run: () => ({ configurations: configurations.all() }) },
    'POST configurations': {
      fields: ['event', 'callbackUrl', 'accountId'],
      status: 201,
      run({ fields: { accountId = APPLICATION.accountId, ...fields } }) {
        if (!ACCOUNTS.includes(String(accountId)))
          throw invalid(`"accountId" must be one of ${ACCOUNTS.join(', ')}`)
        return configurations.create(String(accountId), parseConfiguration('callbackUrl', fields))
      },
    },
    'DELETE configurations/:id': {
      run({ id }) {
        const found = configurations.findActive(id)
        if (!found) throw notFound(`There is no Active configuration ${id}`)
        return configurations.deactivate(found)
      },
    },
  } satisfies Partial<Operations>
}
