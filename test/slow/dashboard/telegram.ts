/** A theme as a dark one of Telegram's; its hint is harder to read than ours may be. */
export const THEME = {
  bg_color: '#17212b',
  secondary_bg_color: '#232e3c',
  section_bg_color: '#17212b',
  text_color: '#f5f5f5',
  hint_color: '#5c6670',
  accent_text_color: '#6ab2f2',
  button_color: '#5288c1',
  button_text_color: '#ffffff',
  destructive_text_color: '#ec3942',
}

const INIT_DATA = new URLSearchParams({
  user: JSON.stringify({ id: 1, first_name: 'Ада' }),
  auth_date: '1795338000',
  signature: 'not-looked-at-here',
  hash: 'c501b71e775f74ce10e377dea85a7ea24ecd640b223ea86dfe453e0eaed2e2b2',
})

/** The parameters that Telegram adds to the page's address when it opens it. */
export const LAUNCH = new URLSearchParams({
  tgWebAppData: String(INIT_DATA),
  tgWebAppVersion: '9.1',
  tgWebAppPlatform: 'android',
  tgWebAppThemeParams: JSON.stringify(THEME),
}).toString()
