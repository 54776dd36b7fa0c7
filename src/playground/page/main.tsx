import './styles/tokens.css'
import './styles/controls.css'
import './styles/shell.css'
import './styles/messages.css'
import './styles/message-content.css'
import './styles/message-menu.css'
import './styles/composer.css'
import './styles/panel.css'
import { render } from 'preact'
import { App } from './app.tsx'
import { followPanel } from './panel/panel-data.ts'
import { followRoute } from './route.ts'
import { followChats } from './state/chats.ts'
import { followPeople } from './state/people.ts'
import { followLive } from './talk/live.ts'

const host = document.getElementById('page')
if (host === null) throw new Error('Cannot show page: index.html has no place for it')

followRoute()
followPeople()
followChats()
followPanel()
followLive()
render(<App />, host)
