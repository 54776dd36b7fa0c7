import { formatRub } from '../../contract/money.ts'

/** A thing is not paid for, since it would be more than was allowed. */
export class TooDearError extends Error {
  override readonly name = 'TooDearError'
}

export type Budget = ReturnType<typeof createBudget>

/**
 * Creates what a run may spend.
 *
 * @param mostMicroRub Undefined for as much as it takes.
 */
export function createBudget(mostMicroRub: bigint | undefined) {
  let spentMicroRub = 0n
  return {
    /** Pays for something before it is asked for. @throws {TooDearError} If that may be more than is left. */
    take(what: string, microRub: bigint | undefined): void {
      if (mostMicroRub === undefined) return
      const most = `--most ${formatRub(mostMicroRub)}`
      if (microRub === undefined) {
        throw new TooDearError(`${most}: the service tells no price of ${what}`)
      }
      if (spentMicroRub + microRub > mostMicroRub) {
        throw new TooDearError(`${most}: ${what} may cost ${formatRub(microRub)} RUB more`)
      }
      spentMicroRub += microRub
    },
    /** Corrects what was taken when it is known what it cost. */
    giveBack: (microRub: bigint) => {
      spentMicroRub -= microRub
    },
  }
}
