/** The page before its first view: its shell, its script, its style sheet and its icons. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Language, Texts } from '../../texts/texts.ts'
import { type Html, html } from './html.ts'

interface PageFile {
  type: string
  text: string
  version: string
}

/**
 * Reads the files of the page. Pico's rules are in a layer below: ours win whatever their selectors. Its icons are `data:`
 * addresses, which the page's policy refuses; the style sheet names files for the used icons.
 */
export function readFiles(): Readonly<Record<string, PageFile>> {
  const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')
  const pico = readFileSync(
    new URL(import.meta.resolve('@picocss/pico/css/pico.classless.min.css')),
    'utf8',
  )
    .replace('@charset "UTF-8";', '')
    .replaceAll(/url\("data:[^"]*"\)/g, 'none')
  return {
    'styles.css': toFile('text/css', `@layer pico {${pico}}\n${read('styles.css')}`),
    'client.js': toFile('text/javascript', read('client.js')),
    'icon.svg': toFile('image/svg+xml', read('icon.svg')),
    'chevron.svg': toFile('image/svg+xml', read('chevron.svg')),
    'search.svg': toFile('image/svg+xml', read('search.svg')),
  }
}

function toFile(type: string, text: string): PageFile {
  return { type, text, version: createHash('sha256').update(text).digest('hex').slice(0, 12) }
}

/** The page before its first view. It has no data; `client.js` signs in, and fetches the view. */
export function shell(texts: Texts, language: Language, files: ReturnType<typeof readFiles>): Html {
  const t = (key: string) => texts.t(language, key)
  const address = (name: string) => `${name}?v=${files[name]?.version}`
  return html`<!doctype html>
    <html lang="${language}">
    <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
      <meta name="color-scheme" content="light dark">
      <meta name="referrer" content="no-referrer">
      <title>Kopeck</title>
      <link rel="icon" type="image/svg+xml" href="icon.svg">
      <link rel="stylesheet" href="${address('styles.css')}">
      <script type="module" src="${address('client.js')}"></script>
      <template id="away"><div class="note problem" role="alert"><p>${t('page-away')}</p>
        <button type="button" class="quiet" data-retry>${t('page-retry')}</button></div></template>
    </head>
    <body>
      <main class="alone"><p class="hint" role="status">${t('page-signing-in')}</p></main>
      <noscript>${t('page-needs-script')}</noscript>
    </body>
    </html>`
}
