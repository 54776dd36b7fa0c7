import { Type } from 'typebox'
import { ChargeKind } from '../../../../platform/database/generated/enums.ts'
import { SPANS } from '../api.ts'

// In a query everything is text; what is a number there is turned into one by its route.

/** Telegram's ids; those of groups are below zero. */
export const idText = Type.String({ pattern: '^-?\\d{1,15}$' })

export const span = Type.Enum([...SPANS])
export const kind = Type.Enum(Object.values(ChargeKind))
/** A model, or a price label. */
export const model = Type.String({ minLength: 1, maxLength: 200 })

/** Micro-roubles from 0 to 10^15, a thousand million roubles: what is above is a slip of the pen. */
export const amount = Type.String({ pattern: '^(0|[1-9]\\d{0,14}|10{15})$' })

export const pageText = Type.String({ pattern: '^\\d{1,6}$' })
export const search = Type.String({ maxLength: 100 })
