from support.facts import docs, facts, names

from aoci_agent.aoci.layers import layer_of


def test_php() -> None:
    found = facts(
        "app/Models/BlogPost.php",
        """
        <?php

        declare(strict_types=1);

        namespace App\\Models;

        use Illuminate\\Database\\Eloquent\\Model;
        use App\\Support\\{Slug, Clock as Time};
        use function App\\Support\\now_in;

        // Not said.
        const LIMIT = 20;

        /**
         * A post of the blog.
         *
         * @property string $title
         */
        #[Observed]
        final class BlogPost extends Model implements HasAuthor, \\Stringable
        {
            use SoftDeletes;

            public const STATUS = 'draft';
            protected $fillable = ['title', 'body'];

            /** Who wrote it. */
            public function author(): BelongsTo
            {
                return $this->belongsTo(User::class);
            }

            protected function slug(): Slug { throw new SlugTaken(now_in(Time::zone())); }
            private function hidden() {}
            public function __toString(): string { return new Slug(config('blog.name')) . env('BLOG_URL'); }
        }

        enum Status: string { case Draft = 'd'; case Live = 'l'; }
        interface HasAuthor {}
        trait Counts { public function count() {} }
        function helper() { event(new PostSeen()); SendMail::dispatch(); }
        """,
    )
    assert found.language == "php"
    shown = [
        "BlogPost",
        "BlogPost.author",
        "Status",
        "HasAuthor",
        "Counts",
        "Counts.count",
        "helper",
    ]
    assert names(found) == shown
    assert set(names(found, public=False)) == {
        "BlogPost.slug",
        "BlogPost.hidden",
        "BlogPost.__toString",
    }
    assert docs(found) == {"BlogPost": "A post of the blog", "author": "Who wrote it"}
    post = next(symbol for symbol in found.symbols if symbol.name == "BlogPost")
    assert post.bases == ("Model", "HasAuthor", "Stringable")
    imports = {item.module: dict(item.names) for item in found.imports}
    assert imports["Illuminate\\Database\\Eloquent"] == {"Model": 1}
    assert imports["App\\Support"] == {"Slug": 2, "Clock": 1, "now_in": 1}
    assert {"User", "SoftDeletes", "SlugTaken"} <= set(dict(found.words))
    assert found.tables == ("blog_posts w",)
    assert set(found.shapes) == {"BlogPost{title,body}", "Status:Draft¦Live"}
    assert found.constants == ("LIMIT=20", "STATUS='draft'")
    assert found.raises == ("SlugTaken",)
    assert found.env == ("BLOG_URL",)
    assert found.events == ("publish PostSeen", "publish SendMail")
    assert found.notes == ("belongsTo User", "config blog.name")


def test_laravel_routes_stand_under_their_groups() -> None:
    found = facts(
        "routes/web.php",
        """
        <?php
        use App\\Http\\Controllers\\PostController;

        Route::get('/', [HomeController::class, 'index']);
        Route::prefix('admin')->middleware(['auth', 'can:x'])->group(function () {
            Route::resource('blog-posts', PostController::class);
            Route::group(['prefix' => 'users', 'as' => 'u.'], function () {
                Route::match(['get', 'post'], '{user}/mail', 'UserController@mail');
            });
            Route::delete('cache', fn () => 1);
        });
        Route::view('/about', 'pages.about');
        Artisan::command('app:tidy {--all}', function () {});
        Schedule::command('app:tidy')->dailyAt('03:00');
        """,
    )
    assert found.routes == (
        "GET /",
        "ANY /admin/blog-posts",
        "ANY /admin/blog-posts/{blog_post}",
        "GET /admin/users/{user}/mail",
        "POST /admin/users/{user}/mail",
        "DELETE /admin/cache",
        "GET /about",
    )
    assert found.commands == ("app:tidy",)
    assert found.events == ("runs app:tidy dailyAt 03:00",)
    assert layer_of("routes/web.php", found) == "R"


def test_symfony_routes_and_commands() -> None:
    found = facts(
        "src/Controller/BlogController.php",
        """
        <?php
        namespace App\\Controller;
        use Symfony\\Component\\Routing\\Attribute\\Route;
        #[Route('/blog', name: 'blog_')]
        class BlogController extends AbstractController {
            #[Route('/{slug}', name: 'show', methods: ['GET', 'HEAD'], requirements: ['slug' => '[a-z]+'])]
            public function show(string $slug): Response { return $this->render('blog/show.html.twig'); }
            #[Route(path: '/new')]
            public function create(): Response {}
        }
        """,
    )
    assert found.routes == ("GET /blog/{slug}", "HEAD /blog/{slug}", "ANY /blog/new")
    command = facts(
        "src/A.php", "<?php\n#[AsCommand(name: 'app:go', description: 'Goes away')]\nclass A {}\n"
    )
    assert command.commands == ("app:go",)
    assert command.doc == "Goes away"


def test_laravel_migrations_jobs_and_tests() -> None:
    found = facts(
        "database/migrations/1_posts.php",
        """
        <?php
        return new class extends Migration {
            public function up(): void {
                Schema::create('posts', function (Blueprint $table) {
                    $table->id();
                    $table->foreignId('user_id')->constrained();
                    $table->string('title', 80)->unique();
                    $table->timestamps();
                    $table->index('title');
                });
            }
        };
        """,
    )
    assert found.tables == ("posts ddl",)
    assert found.shapes == ("table posts{id,user_id,title,timestamps}",)
    job = facts(
        "app/Listeners/SendMail.php",
        "<?php\nclass SendMail implements ShouldQueue {\n"
        "  public function handle(PostSeen $event): void { DB::table('mails')->insert([]); }\n}\n",
    )
    assert job.events == ("subscribe PostSeen",)
    assert job.notes == ("queued",)
    assert job.tables == ("mails r",)
    sent = facts("a.php", "<?php\nBus::dispatch(new Paint(1));\nWash::dispatch();\n")
    assert sent.events == ("publish Paint", "publish Wash")
    unit = facts(
        "tests/ATest.php",
        "<?php\nclass ATest extends TestCase {\n public function test_it_works() {}\n}\n",
    )
    assert unit.cases == ("it_works",)
    pest = facts("tests/B.php", "<?php\nit('sends a mail', function () {});\n")
    assert pest.cases == ("sends a mail",)


def test_a_template_shows_its_words_and_its_parts() -> None:
    found = facts(
        "resources/views/posts/show.blade.php",
        """
        @extends('layouts.app')
        @section('title', 'One post')
        <h1>All about it</h1>
        <input placeholder="Your name">
        @include('posts.form')
        <x-alert />
        """,
    )
    assert found.texts == ("One post", "All about it", "Your name")
    assert dict(found.imports[0].names) == {
        "components.alert": 1,
        "layouts.app": 1,
        "posts.form": 1,
    }
    assert layer_of("resources/views/posts/show.blade.php", found) == "V"
