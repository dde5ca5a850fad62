// A page of another origin than Tenure. It signs in with an access token, lists licences, and creates one.
import { useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { createClient, ProblemError, webStore } from 'tenure-client';

// The address of the API and the token. Your own page would get its token from the authorization server.
const { api, token, caller } = JSON.parse(sessionStorage.getItem('tenure') ?? '{}');
const store = webStore(localStorage, `tenure:${caller}:`);
const tenure = createClient({ url: api, token, store });
const CREATE = 'create licence';

const wordsOf = (error) =>
  error instanceof ProblemError ? `${error.code}: ${error.message}` : 'Tenure does not answer.';

async function allLicenses() {
  const all = [];
  for await (const license of tenure.list('/licenses')) all.push(license);
  return all;
}

function create() {
  return tenure.get('/app-installs', { query: { limit: 1 } }).then(({ data: [install] }) =>
    tenure.command('/app-installs/{contractId}/create-license', {
      // The command is stored until its result is known, so that a double click or a reload does not create a second
      // licence.
      name: CREATE,
      path: { contractId: install.lifecycleId },
      body: { params: {} },
    }),
  );
}

function Page() {
  const [licenses, setLicenses] = useState([]);
  const [state, setState] = useState('');
  const show = () => allLicenses().then(setLicenses);
  const follow = (command) => {
    setState('The licence is being created.');
    command
      .then(() => setState('The licence is there.'))
      .catch((error) => setState(wordsOf(error)))
      .then(show);
  };
  useEffect(() => {
    show().catch((error) => setState(wordsOf(error)));
    // Continues a command that this page sent before it was reloaded.
    tenure.pending().then((names) => names.includes(CREATE) && follow(tenure.resume(CREATE)));
  }, []);
  return (
    <main>
      <h1>Licences</h1>
      <button onClick={() => follow(create())}>Create a licence</button>
      <p role="status">{state}</p>
      <ul>
        {licenses.map(({ lifecycleId, licenseNum, user }) => (
          <li key={lifecycleId}>
            Licence {licenseNum} of {user}
          </li>
        ))}
      </ul>
    </main>
  );
}

createRoot(document.getElementById('root')).render(<Page />);
