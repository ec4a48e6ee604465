import { render } from 'preact'
import './style.css'

render(<h1>Inbox</h1>, document.querySelector('#app') as Element)
