import { expect, test } from 'vitest'
import { sendCharges } from '../../../../src/bot/commands/viewers/spend/send-charges.ts'
import { createTexts } from '../../../../src/bot/locales/texts.ts'
import { createSpendReports } from '../../../../src/bot/spend/reports/spend-reports.ts'
import type { FileBytes } from '../../../../src/bot/telegram/outbox/outbox.ts'
import { addCharge } from '../../spend/add-charge.ts'
import { addSpender, CALENDAR, database, useCommands } from '../commands-setup.ts'

useCommands()

test('what is too much for one file is sent in several, and each is read again for each attempt', async () => {
  const { prisma } = database
  const userId = await addSpender({ amountMicroRub: 1n })
  const charge = { userId, chatId: userId, kind: 'answer' as const, item: 'alpha-large' }
  const day = new Date()
  await prisma.charge.createMany({
    data: Array.from({ length: 5_990 }, () => ({ ...charge, amountMicroRub: 1n, day })),
  })
  await addCharge(prisma, { userId, amountMicroRub: 7n })
  const files: { fileName: string; lines: string[] }[] = []
  const answers: string[] = []
  const texts = createTexts()

  await sendCharges('all', {
    reports: createSpendReports({ prisma, calendar: CALENDAR }),
    bytesMax: 300_000,
    user: { id: 1, firstName: 'Admin', languageCode: 'en' },
    t: (key, variables) => texts.t('en', key, variables),
    answer: async (text) => void answers.push(String(text)),
    answerFile: async ({ fileName, bytes }) => {
      await read(bytes)
      files.push({ fileName, lines: await read(bytes) })
    },
  })

  const dates = new Set(
    files.map(({ fileName }) => fileName.slice('spend-'.length, 'spend-2026-11-22'.length)),
  )
  expect(dates.size).toBe(1)
  expect(files.map(({ fileName }) => fileName.slice('spend-2026-11-22'.length))).toEqual([
    '.csv',
    '-2.csv',
    '-3.csv',
  ])
  const ids = files.flatMap(({ lines }) => lines.map((line) => line.split(',')[0]))
  expect(ids).toHaveLength(5_992)
  expect(new Set(ids).size).toBe(5_992)
  expect(answers).toEqual(['There are too many charges for one file, so I sent 3.'])
})

async function read(bytes: FileBytes): Promise<string[]> {
  const pieces: Uint8Array[] = []
  if (typeof bytes === 'function') for await (const piece of bytes()) pieces.push(piece)
  const text = Buffer.concat(pieces).toString()
  expect(text).toMatch(/^\uFEFFid,created_at,/)
  return text.trimEnd().split('\r\n').slice(1)
}
