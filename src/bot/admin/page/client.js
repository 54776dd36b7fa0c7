/**
 * The page's one script: signs in, fetches views with the token of the session, and replaces the last view by the new one.
 * Links are `#/view?query`, forms with GET change the query, forms with POST go to the view that shows them.
 */
const PAUSE_MS = 250
const FOLLOW_MS = 5_000

const find = (selector) => document.querySelector(selector)
/** A tab that signs in gives its session to tabs whose own is over. */
const tabs = new BroadcastChannel('session')
const launched = new URLSearchParams(location.hash.slice(1))
const link = launched.get('link')
let initData = launched.get('tgWebAppData')
let token = sessionStorage.getItem('session')
let loading = new AbortController()
let lastFigures = ''
let typing
let following
let streaming = new AbortController()

// Nothing of a sign-in stays in the address. A reload in Telegram has the launch without it.
if (launched.has('tgWebAppVersion')) {
  launched.delete('tgWebAppData')
  sessionStorage.setItem('launch', String(launched))
}
if (link || launched.has('tgWebAppVersion')) history.replaceState(null, '', '#/')
const launch = new URLSearchParams(sessionStorage.getItem('launch') ?? '')
const telegram = launch.has('tgWebAppVersion') && (window.TelegramWebviewProxy || parent !== window)

async function ask(path, { method = 'GET', body, signal } = {}) {
  const headers = token ? { authorization: `Bearer ${token}` } : {}
  const language = localStorage.getItem('language')
  if (language) headers['x-language'] = language
  return fetch(path, { method, headers, body, signal, cache: 'no-store' })
}

function routeOf(hash) {
  const [path, query = ''] = hash.replace(/^#\/?/, '').split('?')
  return { path: path || 'overview', query }
}

/** Shows the view of the address, or sends a form to it. */
async function load({ form, submitter, isSame = false, action } = {}) {
  loading.abort()
  loading = new AbortController()
  const { signal } = loading
  const { path, query } = routeOf(location.hash)
  find('main').ariaBusy = 'true'
  find('.note:has([data-retry])')?.remove()
  try {
    const body = form && new URLSearchParams(new FormData(form, submitter))
    const address = action ?? `view/${path}?${query}`
    const response = await ask(address, { method: form ? 'POST' : 'GET', body, signal })
    await take(response, { form, isSame })
  } catch (error) {
    if (signal.aborted) return
    showAway(error, form)
  }
  find('main').ariaBusy = 'false'
}

function showAway(error, form = find('main')) {
  console.warn(error)
  form.prepend(find('#away').content.cloneNode(true))
}

async function take(response, { form, isSame = false } = {}) {
  if (!response.headers.get('content-type')?.startsWith('text/html')) throw new Error('No view')
  const next = new DOMParser().parseFromString(await response.text(), 'text/html').body
  const isOver = response.status === 401
  if (isOver && initData) return signIn({ initData })
  if (next.querySelector('.alone')) {
    sessionStorage.removeItem('session')
    streaming.abort()
    token = null
  }
  // The typed values stay below the note that the session is over.
  if (isOver && find('.shell')) find('.over') ?? find('main').prepend(toNote(next))
  else if (next.querySelector('main')) replace(next, { form, isSame })
  else (form ?? find('main')).prepend(...next.childNodes)
}

function toNote(next) {
  const card = next.querySelector('.sign-in')
  card.classList.add('over')
  card.role = 'alert'
  return card
}

function replace(next, { form, isSame }) {
  const focused = document.activeElement
  const top = scrollY
  const isFirst = !find('.shell')
  const edited = form?.closest('details.edit')?.id
  const open = isSame ? [...document.querySelectorAll('details[open][id]')] : []
  document.body.replaceChildren(...next.childNodes)
  for (const { id } of open)
    if (id !== edited) document.getElementById(id)?.setAttribute('open', '')
  if (lastFigures) draw(lastFigures)
  const title = find('h1')
  document.title = `${title.textContent} · Kopeck`
  document.documentElement.lang = find('main').lang || document.documentElement.lang
  post('web_app_setup_back_button', { is_visible: find('.back') !== null })
  if (!isSame) {
    scrollTo(0, 0)
    if (!isFirst) title.focus({ preventScroll: true })
    return
  }
  scrollTo(0, top)
  // A form that was saved is folded up: its button has the focus then.
  const again = edited
    ? find(`#${CSS.escape(edited)} > summary`)
    : (document.getElementById(focused.id || 'none') ??
      (form && find(`#${CSS.escape(form.id)} button`)))
  const target = find('[aria-invalid]') ?? again
  target?.focus({ preventScroll: target === again })
  if (focused.type !== 'search' || target !== again) return
  again.value = focused.value
  again.setSelectionRange(focused.selectionStart, focused.selectionEnd)
}

async function signIn(fields) {
  initData = null
  const response = await ask('session', { method: 'POST', body: new URLSearchParams(fields) })
  if (!response.ok) return take(response)
  resume((await response.json()).token)
  tabs.postMessage(token)
  await load()
}

function resume(other) {
  token = other
  sessionStorage.setItem('session', token)
  find('.over')?.remove()
  void followFigures()
}

tabs.onmessage = ({ data }) => {
  if (find('.over')) resume(data)
}

function go(hash) {
  const isSame = routeOf(hash).path === routeOf(location.hash).path
  // Back leaves a view that was filtered.
  history[isSame ? 'replaceState' : 'pushState'](null, '', hash)
  void load({ isSame })
}

async function download(form) {
  const body = new URLSearchParams(new FormData(form))
  const response = await ask('downloads', { method: 'POST', body })
  if (!response.ok) return take(response, { form })
  const { path, fileName } = await response.json()
  const url = new URL(path, document.baseURI).href
  if (telegram && Number.parseFloat(launch.get('tgWebAppVersion')) >= 8) {
    return post('web_app_request_file_download', { url, file_name: fileName })
  }
  location.assign(url)
}

addEventListener('popstate', () => load())

addEventListener('click', (event) => {
  const target = event.target.closest('a[href^="#"], [data-language], [data-retry]')
  if (!target || event.metaKey || event.ctrlKey || event.shiftKey) return
  event.preventDefault()
  if (target.hash === '#content') return find('h1').focus()
  if (target.hash) return go(target.hash)
  if (target.dataset.language) localStorage.setItem('language', target.dataset.language)
  void load({ isSame: true })
})

addEventListener('submit', (event) => {
  event.preventDefault()
  const { target: form, submitter } = event
  const action = form.getAttribute('action')
  if (form.method === 'get') {
    const set = [...new FormData(form)].filter(([, value]) => value.trim() !== '')
    return go(`${action}?${new URLSearchParams(set)}`)
  }
  if (action === 'downloads') return void download(form).catch(showAway)
  if (find('main').ariaBusy !== 'true') void load({ form, submitter, isSame: true, action })
})

addEventListener('change', ({ target }) => {
  if (target.matches('[method="get"] select')) target.form.requestSubmit()
})

addEventListener('input', ({ target }) => {
  if (target.type !== 'search') return
  clearTimeout(typing)
  typing = setTimeout(() => target.form.requestSubmit(), PAUSE_MS)
})

/** Reads the live figures, a line each time that they change, for as long as the page is looked at. */
async function followFigures() {
  streaming.abort()
  streaming = new AbortController()
  const { signal } = streaming
  for (let waitMs = 1_000; token && !document.hidden && !signal.aborted; waitMs *= 2) {
    try {
      const response = await ask('live', { signal })
      if (response.status === 401) return await take(response)
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
      let text = ''
      for (let read = await reader.read(); !read.done && response.ok; read = await reader.read()) {
        const lines = (text + read.value).split('\n')
        text = lines.pop()
        lines.filter(Boolean).forEach(draw)
        waitMs = 500
      }
    } catch {
      // No connection: the dot beside the figures goes out until the next try.
    }
    if (signal.aborted) return
    lastFigures = ''
    find('#live')?.classList.remove('is-live')
    await new Promise((resolve) => setTimeout(resolve, Math.min(waitMs, 30_000)))
  }
}
document.addEventListener('visibilitychange', followFigures)

/** Shows newer figures. While somebody spends, the sums below are read again every five seconds at most. */
function draw(figures) {
  lastFigures = figures
  const strip = find('#live')
  if (!strip) return
  strip.outerHTML = figures
  find('#live').classList.add('is-live')
  if (strip.dataset.spent === find('#live').dataset.spent || following) return
  following = setTimeout(() => {
    following = undefined
    // A list of a filter that is open would close.
    if (find('#live') && !find('select:focus')) void load({ isSame: true })
  }, FOLLOW_MS)
}

/** Telegram's protocol of Mini Apps: https://core.telegram.org/api/web-events */
function post(eventType, eventData = {}) {
  if (!telegram) return
  if (window.TelegramWebviewProxy) {
    window.TelegramWebviewProxy.postEvent(eventType, JSON.stringify(eventData))
  } else parent.postMessage(JSON.stringify({ eventType, eventData }), '*')
}

function receive(type, data) {
  if (type === 'theme_changed') showTheme(data.theme_params)
  if (type === 'back_button_pressed') find('.back')?.click()
  if (!/^(content_)?safe_area_changed$/.test(type)) return
  const name = type.replace('_changed', '').replaceAll('_', '-')
  document.documentElement.style.setProperty(`--${name}-top`, `${data.top}px`)
  document.documentElement.style.setProperty(`--${name}-bottom`, `${data.bottom}px`)
}

function showTheme(colours) {
  const sheet = find('#theme') ?? Object.assign(document.createElement('link'), { id: 'theme' })
  Object.assign(sheet, { rel: 'stylesheet', href: `theme.css?${new URLSearchParams(colours)}` })
  document.head.append(sheet)
}

if (link) void signIn({ link }).catch(showAway)
else if (token || !initData) void load().then(followFigures)
else void signIn({ initData }).catch(showAway)

if (launch.has('tgWebAppThemeParams')) showTheme(JSON.parse(launch.get('tgWebAppThemeParams')))
if (telegram) {
  document.documentElement.dataset.telegram = ''
  window.Telegram = { WebView: { receiveEvent: receive } }
  window.TelegramGameProxy = { receiveEvent: receive }
  addEventListener('message', ({ source, data }) => {
    if (source !== parent || typeof data !== 'string') return
    const { eventType, eventData } = JSON.parse(data)
    receive(eventType, eventData)
  })
  for (const name of ['ready', 'expand', 'request_safe_area', 'request_content_safe_area']) {
    post(`web_app_${name}`)
  }
}
