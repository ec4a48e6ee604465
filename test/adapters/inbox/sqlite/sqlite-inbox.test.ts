import { describe } from 'vitest'
import { describeInbox } from '../../../contracts/inbox-suite.ts'
import { sqlite } from './under-test.ts'

describe('SQLite', () => describeInbox(sqlite))
