/** The view More: sections without a tab on phones, the signed-in user, language and sign-out. Also the way to sign in. */
import { type Html, html } from './html.ts'
import { BEHIND_MORE, frame, icon, sectionName } from './layout.ts'
import { nameOf } from './users.ts'
import { hrefOf, type View } from './visit.ts'

export const more: View = {
  async show(visit) {
    const { visitor, page } = visit
    const { userId, name, role } = visitor
    const links = BEHIND_MORE.map(
      (section) => html`<li><a class="item" href="${hrefOf(section)}">
        ${icon(section)}<span class="grow">${sectionName(visit, section)}</span>${icon('forward')}</a></li>`,
    )
    return frame(visit, {
      title: sectionName(visit, 'more'),
      content: html`<ul class="card list phone-only">${links}</ul>
        <section class="card">
          <small>${visit.t('page-signed-in-as')}</small>
          <h2>${nameOf(visit, { id: userId, name, username: null })}</h2>
          <small>${visit.t('page-role-name', { role })}</small>
          ${role === 'viewer' && html`<p>${visit.t('page-viewer')}</p>`}
          <p><small>${visit.t('page-time-zone', { timeZone: page.settings.timeZone })}</small></p>
          <p>${visit.t('page-language')}</p>
          ${languageChoice()}
          <form method="post" action="sign-out"><button type="submit" class="quiet">${visit.t('page-sign-out')}</button></form>
        </section>`,
    })
  },
}

/** Shows why the reader is not signed in, and how to sign in. */
export function signInCard(t: (key: string) => string, key: string): Html {
  const isProblem = !['page-sign-in', 'page-signed-out'].includes(key)
  return html`<main class="alone"><section class="card">
    <h1 tabindex="-1">${t(isProblem ? 'page-sign-in' : key)}</h1>
    ${isProblem && html`<p class="note problem" role="alert">${t(key)}</p>`}
    <p>${t('page-sign-in-how')}</p>
    ${languageChoice()}
  </section></main>`
}

/** Offers each language by its own name. */
function languageChoice(): Html {
  return html`<p class="row">
    <button type="button" class="quiet" data-language="en" lang="en">English</button>
    <button type="button" class="quiet" data-language="ru" lang="ru">Русский</button>
  </p>`
}
