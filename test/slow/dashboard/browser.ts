import { existsSync } from 'node:fs'
import axe from 'axe-core'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'

/** The paths of Debian's packages. The one without windows draws the same pages with half the work. */
const DEBIAN = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']

/** Chromium of this machine; undefined where there is none. */
export const CHROMIUM = process.env.CHROMIUM_PATH ?? DEBIAN.find((path) => existsSync(path))

export interface Look {
  width: number
  colorScheme: 'light' | 'dark'
  locale: 'en-GB' | 'ru-RU'
}

export const PHONE: Look = { width: 390, colorScheme: 'light', locale: 'en-GB' }
export const DESKTOP: Look = { ...PHONE, width: 1280 }

/** Both widths in both languages: everything but colours. */
export const LAYOUTS: readonly Look[] = [390, 1280].flatMap((width) =>
  (['en-GB', 'ru-RU'] as const).map((locale) => ({ ...PHONE, width, locale })),
)

/** The same in both schemes: every way in which the page is looked at. */
export const LOOKS: readonly Look[] = LAYOUTS.flatMap((layout) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ ...layout, colorScheme })),
)

/** Both schemes at both widths, and each language once in each of them: contrast knows no language. */
export const SCHEMES: readonly Look[] = LAYOUTS.map((layout) => ({
  ...layout,
  colorScheme: (layout.width === 390) === (layout.locale === 'en-GB') ? 'light' : 'dark',
}))

/** Starts Chromium. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    ...(CHROMIUM !== undefined && { executablePath: CHROMIUM }),
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
}

export interface WindowOptions {
  besides?: readonly string[]
}

/**
 * A window of its own. What went wrong in it beside the page (a word in the console, a request to another
 * server, a breach of the policy) is in `faults`.
 */
export async function openWindow(
  browser: Browser,
  root: string,
  look: Look = PHONE,
  { besides = [] }: WindowOptions = {},
) {
  const { width, colorScheme, locale } = look
  const context = await browser.newContext({
    viewport: { width, height: width === 390 ? 844 : 800 },
    hasTouch: width === 390,
    reducedMotion: 'reduce',
    colorScheme,
    locale,
  })
  const faults: string[] = []
  context.on('request', (request) => {
    const { origin } = new URL(request.url())
    if (origin !== root && !besides.includes(origin)) faults.push(`outside: ${request.url()}`)
  })
  await watchPolicy(context, faults)
  return { context, faults, page: await openTab(context, faults) }
}

/** One more tab of a window. */
export async function openTab(context: BrowserContext, faults: string[]): Promise<Page> {
  const page = await context.newPage()
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`))
  page.on('console', (message) => {
    // Chromium says by itself that an answer was a refusal; what the page makes of it, the test sees.
    const isRefusal = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !isRefusal) faults.push(`console: ${message.text()}`)
  })
  return page
}

/**
 * Waits until what came of the last event is drawn and its effects have run: a hook's effect is a timer that
 * the frame begins in which its change is drawn.
 */
export async function waitForEffects(page: Page): Promise<void> {
  await page.evaluate(`new Promise((resolve) =>
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))))`)
}

/** Waits until what the view reads is there, and drawn. */
export async function waitForView(page: Page): Promise<void> {
  // The view before is busy with nothing until an effect begins to read what the address asks for.
  await waitForEffects(page)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' })
}

/** The gravest findings of axe on what the page shows, frames left out. */
export async function findBarriers(page: Page): Promise<string[]> {
  // Handing axe over takes longer than its look, and a document keeps it.
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(axe.source)
  return page.evaluate(`axe
    .run(document, { resultTypes: ['violations'], iframes: false })
    .then(({ violations }) => violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ; ')))`)
}

/** Fails the test that begins this if anything went wrong beside what it looks at. */
export function expectNoFaults(...lists: readonly string[][]): void {
  onTestFinished(() => {
    expect(lists.flat()).toEqual([])
  })
}

async function watchPolicy(context: BrowserContext, faults: string[]): Promise<void> {
  await context.exposeFunction('reportViolation', (what: string) => faults.push(`policy: ${what}`))
  await context.addInitScript({
    content: `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      reportViolation(violatedDirective + ' ' + blockedURI))`,
  })
}
