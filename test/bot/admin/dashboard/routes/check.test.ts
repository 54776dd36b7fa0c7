import { expect, test } from 'vitest'
import { addCharge } from '../../../spend/add-charge.ts'
import { ANNA, BALANCE_MICRO_RUB, setUpDashboard, VIEWER } from '../dashboard-setup.ts'

test('GET /balance reports what is left, and nothing where the service does not answer', async () => {
  const { ask, signIn, service } = await setUpDashboard()
  const token = await signIn(VIEWER)

  const { body } = await ask('GET', '/api/balance', { token })
  service.isAway = true
  const away = await ask('GET', '/api/balance', { token })

  const balanceMicroRub = String(BALANCE_MICRO_RUB)
  expect(body).toEqual({ leftOf: 'account', balanceMicroRub, dayPaceMicroRub: '0', daysLeft: null })
  expect(away.body).toEqual({
    leftOf: 'account',
    balanceMicroRub: null,
    dayPaceMicroRub: null,
    daysLeft: null,
  })
})

test('GET /check says by how much the balance and our charges differ, and which sums are wrong', async () => {
  const { ask, signIn, prisma, service } = await setUpDashboard()
  const token = await signIn(VIEWER)
  await ask('GET', '/api/check', { token })
  await addCharge(prisma, { userId: ANNA, amountMicroRub: 1_000_000n })
  service.balanceMicroRub -= 1_000_000n + 250_001n
  const right = await ask('GET', '/api/check', { token })
  await prisma.spendDay.updateMany({ data: { amountMicroRub: 999_999n } })

  const wrong = await ask('GET', '/api/check', { token })

  expect(right.body).toMatchObject({
    balance: {
      movedMicroRub: '1250001',
      chargedMicroRub: '1000000',
      differenceMicroRub: '250001',
    },
    sums: { isRight: true, differences: [], rebuildCommand: 'npm run spend -- rebuild' },
  })
  expect(wrong.body).toMatchObject({
    sums: {
      isRight: false,
      differences: [
        {
          what: expect.stringMatching(
            `^${ANNA} ${ANNA} [0-9-]{10} answer alpha-large amount_micro_rub$`,
          ),
          ofSums: '999999',
          ofRows: '1000000',
        },
      ],
    },
  })
})
