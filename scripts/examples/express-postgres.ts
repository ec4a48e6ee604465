import pg from 'pg'
import { equal } from '../consumer-project.ts'
import { checkNotifications, stop, urlOf } from './check-notifications.ts'
import type { Effects } from './ledger.ts'
import type { Trial } from './trial.ts'

const DATABASE_URL = process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/test'
const SCHEMA = `payhook_example_${process.pid}`

export async function checkExpressPostgres(trial: Trial): Promise<void> {
  const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 1 })
  try {
    const server = trial.npmRun('start', { DATABASE_URL, SCHEMA })
    const url = await urlOf(server)
    await trial.register(url)
    await checkNotifications(trial, effectsIn(pool))
    equal((await getJson(new URL('/health', url))).status, 'pass')
    const [payment] = await getJson(new URL('/payments/48122', url))
    equal(payment.status, 'Complete')
    await stop(server)
  } finally {
    await pool.query(`drop schema if exists ${SCHEMA} cascade; drop schema if exists ${SCHEMA}_inbox cascade`)
    await pool.end()
  }
}

function effectsIn(pool: pg.Pool): Effects {
  return {
    async failOnce(id) {
      // The sequence survives the rollback.
      await pool.query(`
        create sequence ${SCHEMA}.attempts;
        create function ${SCHEMA}.fail_once() returns trigger language plpgsql as $$ begin
          if nextval('${SCHEMA}.attempts') = 1 then raise exception 'fails once'; end if;
          return new;
        end $$;
        create trigger fail_once before insert on ${SCHEMA}.payment_history
          for each row when (new.payment_id = '${id}') execute function ${SCHEMA}.fail_once()`)
    },
    async count(id) {
      const select = `select count(*)::int from ${SCHEMA}.payment_history where payment_id = $1`
      const { rows } = await pool.query(select, [id])
      return rows[0].count
    },
  }
}

async function getJson(url: URL) {
  const response = await fetch(url)
  return JSON.parse(await response.text())
}
