import { ServiceError } from '../../../client/errors.ts'
import type { ServiceClient } from '../../../client/service-client.ts'
import { formatMoney } from '../../spend/format.ts'
import type { CommandDefinition } from '../command.ts'

interface BalanceDeps {
  service: Pick<ServiceClient, 'balance'>
}

/** Tells an admin what is left on the service's account. */
export const balanceCommand: CommandDefinition<BalanceDeps> = {
  name: 'balance',
  audience: 'viewers',
  create: ({ service }) => ({
    async handle({ user, t, answer }) {
      try {
        const { balanceMicroRub } = await service.balance()
        await answer(t('balance', { balance: formatMoney(balanceMicroRub, user.languageCode) }))
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error
        await answer(t('service-unavailable'))
      }
    },
  }),
}
