import { parseRub } from '../contract/money.ts'

const ACCOUNT_ID_MAX = 2 ** 31 - 1
const NAME_CHARS_MAX = 200

/** @throws {Error} One sentence for the operator, as every reader of an argument does. */
export function readAccountId(text: string): number {
  if (/^[1-9]\d{0,9}$/.test(text) && Number(text) <= ACCOUNT_ID_MAX) return Number(text)
  throw new Error('ACCOUNT_ID should be the number that create and list print')
}

/** @returns Micro-roubles, >= 0. */
export function readRub(text: string): bigint {
  const microRub = parseRub(text)
  if (microRub !== undefined && microRub >= 0n) return microRub
  throw new Error('RUB should be a decimal number of roubles, at most 6 places')
}

/** @returns Micro-roubles, > 0. */
export function readSomeRub(text: string): bigint {
  const microRub = readRub(text)
  if (microRub > 0n) return microRub
  throw new Error('RUB should be more than 0')
}

/** @returns The name of an account. */
export function readName(text: string): string {
  if (text.trim() !== '' && text.length <= NAME_CHARS_MAX) return text
  throw new Error(`--name should be a text of 1 to ${NAME_CHARS_MAX} characters`)
}

/** What a command says of an id that no account has. */
export function noAccount(accountId: number): Error {
  return new Error(`There is no account ${accountId}`)
}
