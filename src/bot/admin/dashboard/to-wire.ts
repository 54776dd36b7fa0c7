import { readLabel } from '../../media/catalog.ts'
import type { NamedUser } from '../../settings/change-log.ts'
import type { Outlook } from '../../spend/balance.ts'
import type { Overview, Spend, UserName, UserSpend } from '../../spend/reports.ts'
import type {
  LeftOf,
  MicroRub,
  WireMade,
  WireSpend,
  WireSpendParts,
  WireUser,
  WireUserSpend,
} from './api.ts'

/** Money on the wire: micro-roubles in text, which no reader takes for a float. */
export function toWireMoney(microRub: bigint): MicroRub {
  return microRub.toString()
}

export function toWireSpend(spend: Spend): WireSpend {
  return {
    charges: spend.charges,
    amountMicroRub: toWireMoney(spend.amountMicroRub),
    estimatedMicroRub: toWireMoney(spend.estimatedMicroRub),
    writtenOffMicroRub: toWireMoney(spend.writtenOffMicroRub),
    historyMicroRub: toWireMoney(spend.historyMicroRub),
  }
}

export function toWireUser({ id, ...user }: UserName | NamedUser): WireUser {
  const name = 'name' in user ? user.name : user.firstName
  return { id: Number(id), name, username: user.username }
}

export function toWireUserSpend({ user, spend }: UserSpend): WireUserSpend {
  return { user: toWireUser(user), spend: toWireSpend(spend) }
}

/** The parts of an overview that one user's page has, too. */
export function toWireSpendParts({ sum, byDay, byKind, byItem }: Overview): WireSpendParts {
  return {
    sum: toWireSpend(sum),
    byDay: byDay.map(({ day, amountMicroRub, byKind: kinds }) => ({
      day,
      amountMicroRub: toWireMoney(amountMicroRub),
      byKind: Object.fromEntries([...kinds].map(([kind, amount]) => [kind, toWireMoney(amount)])),
    })),
    byKind: byKind.map(({ kind, spend }) => ({ kind, spend: toWireSpend(spend) })),
    byModel: byItem.map(({ item, spend }) => ({
      model: item,
      made: toWireMade(item),
      spend: toWireSpend(spend),
    })),
  }
}

/** Reads a charge's item, or an order's label. */
export function toWireMade(item: string): WireMade | null {
  const labelled = readLabel(item)
  if (labelled === undefined) return null
  const { kind, options } = labelled
  if (kind !== 'video') return { kind }
  const { quality = '', duration = 0 } = options
  return { kind, quality, seconds: duration }
}

/** @returns What the balance of an outlook is the rest of; of one that cannot be read now the account. */
export function toLeftOf(outlook: Pick<Outlook, 'month'> | undefined): LeftOf {
  if (outlook?.month === undefined) return 'account'
  return outlook.month.limitMicroRub === undefined ? 'nothing' : 'limit'
}
