/** A request that is not served: its status, and what is wrong in words or field by field. */
export class Refused extends Error {
  readonly status: number
  readonly detail: string | readonly { field: string; problem: string }[]
  readonly retryAfter: number | undefined

  constructor(status: number, detail: Refused['detail'], retryAfter?: number) {
    super(`refused with ${status}`)
    this.status = status
    this.detail = detail
    this.retryAfter = retryAfter
  }
}

/** A body whose fields are not known yet. */
export type Fields = Readonly<Record<string, unknown>>

/** Checks whether a value is an object with fields. */
export function hasFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
