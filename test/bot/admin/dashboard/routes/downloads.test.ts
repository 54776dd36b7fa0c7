import { expect, test } from 'vitest'
import type { DownloadAnswer, DownloadBody } from '../../../../../src/bot/admin/dashboard/api.ts'
import { addCharge } from '../../../spend/add-charge.ts'
import { ADMIN, ANNA, detailOf, setUpDashboard, VIEWER } from '../dashboard-setup.ts'

/** A viewer who is signed in, and charges of Anna, whose name a spreadsheet would calculate. */
async function setUpDownloads() {
  const dashboard = await setUpDashboard()
  const { prisma, signIn, ask } = dashboard
  await prisma.user.update({ where: { id: ANNA }, data: { firstName: '=1+1' } })
  await addCharge(prisma, { userId: ANNA, amountMicroRub: 1_250_000n })
  await addCharge(prisma, {
    userId: ANNA,
    amountMicroRub: 40_000_000n,
    kind: 'video',
    item: 'video',
  })
  const token = await signIn(VIEWER)
  return { ...dashboard, order }

  async function order(body: DownloadBody): Promise<DownloadAnswer> {
    return (await ask('POST', '/api/downloads', { token, body })).body as DownloadAnswer
  }
}

test('a viewer fetches the charges as a file without the session, and a cell that begins with = is a text', async () => {
  const { ask, order } = await setUpDownloads()

  const { path, fileName } = await order({ span: 'all', kind: 'video' })
  const { status, headers, body } = await ask('GET', `/${path}`)

  expect(status).toBe(200)
  expect(fileName).toMatch(/^spend-all-\d{4}-\d\d-\d\d\.csv$/)
  expect(headers.get('content-disposition')).toBe(`attachment; filename="${fileName}"`)
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('access-control-allow-origin')).toBe('https://web.telegram.org')
  const lines = String(body).trim().split('\r\n')
  expect(lines).toHaveLength(2)
  expect(lines[1]).toContain(",'=1+1,")
  expect(lines[1]).toContain(',video,video,')
})

test('a file is fetched once, within a minute, and never by a link that signs in', async () => {
  const { ask, order, tickets, databaseClock } = await setUpDownloads()
  const [first, second] = [await order({ span: 'today' }), await order({ span: 'today' })]
  const link = await tickets.make('sign_in', { userId: ADMIN })

  expect((await ask('HEAD', `/${first.path}`)).status).toBe(404)
  expect((await ask('GET', `/${first.path}`)).status).toBe(200)
  const again = await ask('GET', `/${first.path}`)
  await databaseClock.advance(60_000)
  const late = await ask('GET', `/${second.path}`)

  expect([again.status, detailOf(again)]).toEqual([410, 'The file was fetched already.'])
  expect([late.status, detailOf(late)]).toEqual([410, 'The link to the file is too old.'])
  for (const unknown of [link, 'a'.repeat(43), '..%2f..%2fpackage.json']) {
    expect((await ask('GET', `/api/downloads/${unknown}`)).status).toBe(404)
  }
})
