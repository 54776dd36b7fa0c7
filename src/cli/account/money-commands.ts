import type { Command } from 'commander'
import pg from 'pg'
import { formatRub, toWireRub } from '../../contract/money.ts'
import { adjustBalance } from '../../service/ledger/adjust-balance.ts'
import { BalanceTooLowError, ReferenceReusedError } from '../../service/ledger/errors.ts'
import { writeJson } from '../command-line/write-output.ts'
import type { AccountDeps } from './account-deps.ts'
import { ACCOUNT_ID, noAccount, readAccountId, readLine, readSomeRoubles } from './arguments.ts'

const NOTE_CHARS_MAX = 500
const REFERENCE_CHARS_MAX = 200
const NUMERIC_OUT_OF_RANGE = '22003'

interface AdjustOptions {
  note?: string
  reference?: string
  force?: boolean
}

/** Adds the commands that put money into accounts and take it out again. */
export function addMoneyCommands(program: Command, { print, onDatabase }: AccountDeps): void {
  addCommand('credit')
    .description('put roubles into an account')
    .action((id: number, rub: bigint, options: AdjustOptions) => adjust(id, rub, options))
  addCommand('debit')
    .description('take roubles out of an account, at most what it has')
    .option('--force', 'take more than it has: less than 0 is left')
    .action((id: number, rub: bigint, options: AdjustOptions) => adjust(id, -rub, options))

  function addCommand(name: string): Command {
    return program
      .command(name)
      .argument('<ACCOUNT_ID>', ACCOUNT_ID, readAccountId)
      .argument('<RUB>', 'roubles, at most 6 decimal places', readSomeRoubles)
      .option('--note <TEXT>', 'why, for those who read the history', readNote)
      .option(
        '--reference <TEXT>',
        "a name of its own, such as the payment's number: repeated with it, the command changes nothing",
        readReference,
      )
  }

  async function adjust(
    accountId: number,
    amountMicroRub: bigint,
    { force: belowZero, note, reference }: AdjustOptions,
  ): Promise<void> {
    const adjustment = { accountId, amountMicroRub, belowZero, note, reference }
    const adjusted = await onDatabase((pool) => adjustBalance(pool, adjustment)).catch(
      (error: unknown) => {
        throw explain(error, { accountId, amountMicroRub })
      },
    )
    if (adjusted === undefined) throw noAccount(accountId)
    const { balanceMicroRub, isRepeat } = adjusted
    const repeated = isRepeat ? { repeated: true } : {}
    print(
      writeJson({ account_id: accountId, balance_rub: toWireRub(balanceMicroRub), ...repeated }),
    )
  }
}

function explain(
  error: unknown,
  { accountId, amountMicroRub }: { accountId: number; amountMicroRub: bigint },
): unknown {
  if (error instanceof BalanceTooLowError) {
    const { neededMicroRub, availableMicroRub } = error
    const [needed, available] = [formatRub(neededMicroRub), formatRub(availableMicroRub)]
    return new Error(
      `Account ${accountId} has ${available} RUB: --force takes ${needed} all the same`,
    )
  }
  if (error instanceof ReferenceReusedError) {
    const { reference, made } = error
    return new Error(
      `The reference "${reference}" was used for ${describe(made)}, not for ${describe({ accountId, amountMicroRub })}`,
    )
  }
  if (error instanceof pg.DatabaseError && error.code === NUMERIC_OUT_OF_RANGE) {
    return new Error(`Account ${accountId} cannot hold ${formatRub(amountMicroRub)} RUB more`)
  }
  return error
}

function describe({ accountId, amountMicroRub }: { accountId: number; amountMicroRub: bigint }) {
  return amountMicroRub > 0n
    ? `a credit of ${formatRub(amountMicroRub)} RUB to account ${accountId}`
    : `a debit of ${formatRub(-amountMicroRub)} RUB from account ${accountId}`
}

function readNote(text: string): string {
  return readLine(text, { of: '--note', charsMax: NOTE_CHARS_MAX })
}

function readReference(text: string): string {
  return readLine(text, { of: '--reference', charsMax: REFERENCE_CHARS_MAX })
}
