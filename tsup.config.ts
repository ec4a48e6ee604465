import { defineConfig } from 'tsup'
import { TYPED } from './scripts/build/entries.ts'

/** The declarations. `scripts/build/build.ts` builds the rest. */
export default defineConfig({ entry: TYPED, format: 'cjs', dts: { only: true } })
