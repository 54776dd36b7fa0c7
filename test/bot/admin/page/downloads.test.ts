import { expect, test } from 'vitest'
import { addCharge } from '../../spend/add-charge.ts'
import { ADMIN, ANNA, setUpPage, VIEWER } from './page-setup.ts'

/** A viewer who is signed in, and charges of Anna, whose name a spreadsheet would calculate. */
async function setUpDownloads() {
  const page = await setUpPage()
  const { prisma, signIn, ask } = page
  await prisma.user.update({ where: { id: ANNA }, data: { firstName: '=1+1' } })
  await addCharge(prisma, { userId: ANNA, amountMicroRub: 1_250_000n })
  await addCharge(prisma, {
    userId: ANNA,
    amountMicroRub: 40_000_000n,
    kind: 'video',
    item: 'video',
  })
  const token = await signIn(VIEWER)
  return { ...page, order }

  async function order(body: Record<string, string>): Promise<{ path: string; fileName: string }> {
    return JSON.parse((await ask('POST', '/downloads', { token, body })).text)
  }
}

test('a viewer fetches the charges as a file without the session, and a cell that begins with = is a text', async () => {
  const { ask, order } = await setUpDownloads()

  const { path, fileName } = await order({ span: 'all', kind: 'video' })
  const { status, headers, text } = await ask('GET', `/${path}`)

  expect(status).toBe(200)
  expect(fileName).toMatch(/^spend-all-\d{4}-\d\d-\d\d\.csv$/)
  expect(headers.get('content-disposition')).toBe(`attachment; filename="${fileName}"`)
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('access-control-allow-origin')).toBe('https://web.telegram.org')
  const lines = text.trim().split('\r\n')
  expect(lines).toHaveLength(2)
  expect(lines[1]).toContain(",'=1+1,")
  expect(lines[1]).toContain(',video,video,')
})

test('a file is fetched once, within a minute, and never by a link that signs in', async () => {
  const { ask, order, makeTicket, databaseClock } = await setUpDownloads()
  const [first, second] = [await order({ span: 'today' }), await order({ span: 'today' })]
  const link = await makeTicket('sign_in', ADMIN)

  expect((await ask('HEAD', `/${first.path}`)).status).toBe(404)
  expect((await ask('GET', `/${first.path}`)).status).toBe(200)
  const again = await ask('GET', `/${first.path}`)
  await databaseClock.advance(60_000)
  const late = await ask('GET', `/${second.path}`)

  expect([again.status, late.status]).toEqual([410, 410])
  expect(again.text).toContain('The link to the file has been used or has expired.')
  for (const unknown of [link, 'a'.repeat(43), '..%2f..%2fpackage.json']) {
    expect((await ask('GET', `/downloads/${unknown}`)).status).toBe(410)
  }
})
