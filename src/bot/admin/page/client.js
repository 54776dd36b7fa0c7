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
let shownPath

async function ask(path, { body, signal } = {}) {
  const { session } = sessionStorage
  const headers = session ? { authorization: `Bearer ${session}` } : {}
  return fetch(path, { method: body ? 'POST' : 'GET', headers, body, signal, cache: 'no-store' })
}

async function load({ action, body } = {}) {
  loading.abort()
  loading = new AbortController()
  const { signal } = loading
  const view = `view/${location.hash.slice(2) || 'overview'}`
  find('main').ariaBusy = 'true'
  await ask(action ?? view, { body, signal })
    .then(show)
    .catch((error) => signal.aborted || showAway(error))
  if (!signal.aborted) find('main').ariaBusy = 'false'
}

async function show(response) {
  const { body } = new DOMParser().parseFromString(await response.text(), 'text/html')
  const view = body.querySelector('main')
  if (body.querySelector('.alone')) delete sessionStorage.session
  const isOver = response.status === 401 && find('nav')
  if (!view || isOver) return notify(...(view ?? body).childNodes)
  const [focused, top, path] = [document.activeElement.id, scrollY, location.hash.split('?')[0]]
  const isSame = path === shownPath
  shownPath = path
  document.body.replaceChildren(...body.childNodes)
  document.title = `${find('h1').textContent} · Kopeck`
  if (view.lang) document.documentElement.lang = view.lang
  scrollTo(0, isSame ? top : 0)
  const target = isSame ? document.getElementById(focused) : find('h1')
  const wanted = find('[aria-invalid], [data-focus]') ?? target
  wanted?.focus({ preventScroll: wanted === target })
}

/** Shows a note above the view and keeps the typed values. */
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

async function download(body) {
  const response = await ask('downloads', { body })
  if (!response.ok) return show(response)
  const { path, fileName } = await response.json()
  const url = new URL(path, document.baseURI).href
  if (isInTelegram) post('web_app_request_file_download', { url, file_name: fileName })
  else location.assign(url)
}

addEventListener('hashchange', () => load())

addEventListener('click', ({ target }) => {
  if (target.closest('[data-reload]')) void load()
})

addEventListener('submit', (event) => {
  event.preventDefault()
  const { target: form, submitter } = event
  const action = form.getAttribute('action')
  const body = new URLSearchParams(new FormData(form, submitter))
  if (form.method === 'get') location.hash = `${action}?${body}`
  else if (action === 'downloads') download(body).catch(showAway)
  else if (find('main').ariaBusy !== 'true') void load({ action, body })
})

/** Reads the live figures. After new spending also reads the sums, unless the reader has opened a list. */
async function follow() {
  if (!find('#live') || document.hidden || !sessionStorage.session) return
  const response = await ask('live')
  if (!response.ok) return show(response)
  const figures = await response.text()
  const strip = find('#live')
  if (!strip) return
  strip.outerHTML = figures
  const isNews = strip.dataset.spent !== find('#live').dataset.spent
  if (isNews && !find('details[open]')) await load()
}
setInterval(() => follow().catch(() => find('#live')?.classList.add('is-away')), FIGURES_MS)

/** Telegram's protocol of Mini Apps: https://core.telegram.org/api/web-events */
function post(eventType, eventData = {}) {
  const app = window.TelegramWebviewProxy
  if (app) app.postEvent(eventType, JSON.stringify(eventData))
  else parent.postMessage(JSON.stringify({ eventType, eventData }), '*')
}

/** Gives the style sheet the colours of Telegram's theme. A page that is reloaded has those of its launch. */
function showTheme() {
  sessionStorage.theme = launch.get('tgWebAppThemeParams') ?? sessionStorage.theme ?? '{}'
  const { style } = document.documentElement
  const colours = JSON.parse(sessionStorage.theme)
  for (const [name, colour] of Object.entries(colours)) style.setProperty(`--tg-${name}`, colour)
  // Green is most of a colour's lightness.
  const green = Number.parseInt(colours.bg_color?.slice(3, 5), 16)
  if (green >= 0) style.colorScheme = green < 128 ? 'dark' : 'light'
}

async function start() {
  showTheme()
  if (isInTelegram) for (const event of ['ready', 'expand']) post(`web_app_${event}`)
  const [link, initData] = [launch.get('link'), launch.get('tgWebAppData')]
  if (link || initData) {
    // The address must keep no trace of a sign-in.
    history.replaceState(null, '', '#/')
    const body = new URLSearchParams(link ? { link } : { initData })
    const response = await ask('session', { body })
    if (response.ok) sessionStorage.session = (await response.json()).token
    else if (!sessionStorage.session) return show(response)
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
