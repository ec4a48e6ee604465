import {
  applyOverrides,
  isSampleObject,
  type Overrides,
  type SampleObject,
} from '../../testing/sample-data.ts'

export interface ResourceModel {
  readonly initial: SampleObject
  /** The fields that a status sets, or removes if they are `undefined`. */
  readonly fieldsOf: (status: unknown) => Overrides
  /** Objects that complete partial values of the caller. */
  readonly parts: Overrides
}

/** @param given earlier changes by the caller, which the status does not override */
export function changeResource(
  model: ResourceModel,
  data: SampleObject,
  changes: Overrides,
  given: Overrides = {},
): SampleObject {
  const parts = Object.entries(model.parts).filter(
    ([name]) => isSampleObject(changes[name]) && !isSampleObject(data[name]),
  )
  const fields = { ...Object.fromEntries(parts), ...model.fieldsOf(changes.status) }
  return applyOverrides(applyOverrides(data, fields), mergeChanges(given, changes))
}

/** Merges earlier and later changes. A removed field remains, as `undefined`. */
export function mergeChanges(earlier: Overrides, later: Overrides): Overrides {
  const merged = Object.entries(later).map(([name, change]) => {
    const before = earlier[name]
    return [name, isSampleObject(before) && isSampleObject(change) ? mergeChanges(before, change) : change]
  })
  return { ...earlier, ...Object.fromEntries(merged) }
}
