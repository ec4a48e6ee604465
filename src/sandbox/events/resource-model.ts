import {
  applyOverrides,
  isSampleObject,
  type Overrides,
  type SampleObject,
} from '../../testing/sample-data.ts'

/** The data of a payment, an invoice or another resource, and how it depends on the status. */
export interface ResourceModel {
  /** The data before the first change. */
  readonly initial: SampleObject
  /** The fields that a status sets, or removes if they are `undefined`. */
  readonly fieldsOf: (status: unknown) => Overrides
  /** Objects of which the caller may give a part; the rest is taken from here. */
  readonly parts: Overrides
}

/**
 * The data after changes, with the fields that the new status sets.
 *
 * @param given earlier changes of the caller's: the status does not touch them
 */
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

/** Earlier and later changes in one. A field that is removed stays among them, as `undefined`. */
export function mergeChanges(earlier: Overrides, later: Overrides): Overrides {
  const merged = Object.entries(later).map(([name, change]) => {
    const before = earlier[name]
    return [name, isSampleObject(before) && isSampleObject(change) ? mergeChanges(before, change) : change]
  })
  return { ...earlier, ...Object.fromEntries(merged) }
}
