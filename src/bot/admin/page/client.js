/**
 * The page's one script. It signs in by Telegram's `initData` or by a link, fetches views with the token of the session,
 * and shows each in place of the last. Links are `#/view?query`; forms with GET change the address, forms with POST are
 * sent to the view that shows them.
 */
const FIGURES_MS = 2_000

const find = (selector) => document.querySelector(selector)
/** A tab that signs in gives its session to tabs whose own is over. */
const tabs = new BroadcastChannel('session')
const launch = new URLSearchParams(location.hash.slice(1))
/** Only Telegram may show the page in a frame. */
const isInTelegram = window.TelegramWebviewProxy || parent !== window
let loading = new AbortController()
let shownPath = ''

async function ask(path, { body, signal } = {}) {
  const headers = {}
  if (sessionStorage.session) headers.authorization = `Bearer ${sessionStorage.session}`
  if (localStorage.language) headers['x-language'] = localStorage.language
  return fetch(path, { method: body ? 'POST' : 'GET', headers, body, signal, cache: 'no-store' })
}

/** Shows the view of the address, or sends a form to it. */
async function load({ form, submitter, action } = {}) {
  loading.abort()
  loading = new AbortController()
  const { signal } = loading
  const route = location.hash.slice(2) || 'overview'
  const body = form && new URLSearchParams(new FormData(form, submitter))
  find('main').ariaBusy = 'true'
  try {
    const response = await ask(action ?? `view/${route}`, { body, signal })
    await show(response, route.split('?')[0])
  } catch (error) {
    if (signal.aborted) return
    showAway(error)
  }
  find('main').ariaBusy = 'false'
}

async function show(response, path) {
  const next = new DOMParser().parseFromString(await response.text(), 'text/html').body
  const view = next.querySelector('main')
  if (next.querySelector('.alone')) delete sessionStorage.session
  const isOver = response.status === 401 && find('nav')
  if (!view || isOver) return notify(...(view ?? next).childNodes)
  const [focused, top] = [document.activeElement.id, scrollY]
  const [isFirst, isSame] = [!find('nav'), path === shownPath]
  document.body.replaceChildren(...next.childNodes)
  document.title = `${find('h1').textContent} · Kopeck`
  if (view.lang) document.documentElement.lang = view.lang
  shownPath = path
  scrollTo(0, isSame ? top : 0)
  const again = isSame ? document.getElementById(focused) : !isFirst && find('h1')
  const target = find('[aria-invalid], [data-focus]') || again
  if (target) target.focus({ preventScroll: target === again })
}

/** Shows a note above the view, whose typed values stay. */
function notify(...nodes) {
  find('#notice')?.remove()
  const notice = Object.assign(document.createElement('div'), { id: 'notice' })
  notice.append(...nodes)
  find('main').prepend(notice)
}

function showAway(error) {
  console.warn(error)
  notify(find('#away').content.cloneNode(true))
}

async function download(form) {
  const response = await ask('downloads', { body: new URLSearchParams(new FormData(form)) })
  if (!response.ok) return show(response)
  const { path, fileName } = await response.json()
  const url = new URL(path, document.baseURI).href
  if (isInTelegram) post('web_app_request_file_download', { url, file_name: fileName })
  else location.assign(url)
}

addEventListener('hashchange', () => load())

addEventListener('click', ({ target }) => {
  const button = target.closest('[data-language], [data-reload], [data-skip]')
  if (!button) return
  if (button.matches('[data-skip]')) return find('h1').focus()
  if (button.dataset.language) localStorage.language = button.dataset.language
  void load()
})

addEventListener('submit', (event) => {
  event.preventDefault()
  const { target: form, submitter } = event
  const action = form.getAttribute('action')
  if (form.method === 'get') {
    const set = [...new FormData(form)].filter(([, value]) => value.trim() !== '')
    location.hash = `${action}?${new URLSearchParams(set)}`
  } else if (action === 'downloads') download(form).catch(showAway)
  else if (find('main').ariaBusy !== 'true') void load({ form, submitter, action })
})

addEventListener('change', ({ target }) => {
  if (target.matches('[method="get"] select')) target.form.requestSubmit()
})

/** Reads the live figures; when somebody spent, also the sums, unless the reader has opened a list. */
async function follow() {
  if (!find('#live') || document.hidden || !sessionStorage.session) return
  const response = await ask('live')
  const strip = find('#live')
  if (!strip) return
  if (!response.ok) return show(response)
  strip.outerHTML = await response.text()
  const isNews = strip.dataset.spent !== find('#live').dataset.spent
  if (isNews && !find('select:focus, details[open]')) await load()
}
setInterval(() => follow().catch(() => find('#live')?.classList.add('is-away')), FIGURES_MS)

/** Telegram's protocol of Mini Apps: https://core.telegram.org/api/web-events */
function post(eventType, eventData = {}) {
  const app = window.TelegramWebviewProxy
  if (app) app.postEvent(eventType, JSON.stringify(eventData))
  else parent.postMessage(JSON.stringify({ eventType, eventData }), '*')
}

/** Gives the style sheet the colours of Telegram's theme, and whether it is dark. */
function showTheme(colours) {
  const { style } = document.documentElement
  for (const [name, colour] of Object.entries(colours)) style.setProperty(`--tg-${name}`, colour)
  const [red, green, blue] = colours.bg_color.match(/\w\w/g).map((hex) => Number.parseInt(hex, 16))
  style.colorScheme = 0.3 * red + 0.6 * green + 0.1 * blue < 128 ? 'dark' : 'light'
}

async function start() {
  const [link, initData] = [launch.get('link'), launch.get('tgWebAppData')]
  // Nothing of a sign-in stays in the address.
  if (link || initData) history.replaceState(null, '', '#/')
  // A page that is reloaded has the theme of its launch.
  sessionStorage.theme = launch.get('tgWebAppThemeParams') ?? sessionStorage.theme ?? '{}'
  const theme = JSON.parse(sessionStorage.theme)
  if (theme.bg_color) showTheme(theme)
  if (isInTelegram) {
    post('web_app_ready')
    post('web_app_expand')
  }
  if (link || initData) {
    const body = new URLSearchParams(link ? { link } : { initData })
    const response = await ask('session', { body })
    if (!response.ok && !sessionStorage.session) return show(response)
    if (response.ok) sessionStorage.session = (await response.json()).token
    tabs.postMessage(sessionStorage.session)
  }
  await load()
}

tabs.onmessage = ({ data }) => {
  if (!find('#notice h1')) return
  sessionStorage.session = data
  find('#notice').remove()
}
start().catch(showAway)
